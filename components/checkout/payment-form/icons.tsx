/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import type { ShownLogo } from "@/lib/contract/checkout/appearance";
import { CARD_BRANDS, type CardBrand } from "@/lib/contract/transactions/words";

const Icon = ({ name, size = 16, children }: { name: string; size?: number; children: ComponentChildren }) => (
  <svg
    class={`icon icon-${name}`}
    viewBox="0 0 16 16"
    width={size}
    height={size}
    fill="none"
    stroke="currentColor"
    stroke-width="1.5"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
    focusable="false"
  >
    {children}
  </svg>
);

export const LockIcon = () => (
  <Icon name="lock" size={14}>
    <rect x="3" y="7" width="10" height="7" rx="1.75" />
    <path d="M5.25 7V4.75a2.75 2.75 0 0 1 5.5 0V7" />
  </Icon>
);

export const AlertIcon = ({ size = 16 }: { size?: number }) => (
  <Icon name="alert" size={size}>
    <circle cx="8" cy="8" r="6.5" />
    <path d="M8 4.75v3.75M8 11.1v.05" />
  </Icon>
);

export const Spinner = ({ size = 16 }: { size?: number }) => (
  <Icon name="spinner" size={size}>
    <circle cx="8" cy="8" r="6.25" opacity=".25" />
    <path d="M14.25 8A6.25 6.25 0 0 0 8 1.75" />
  </Icon>
);

export const CheckIcon = ({ size = 28 }: { size?: number }) => (
  <Icon name="check" size={size}>
    <path d="m3.5 8.5 3 3 6-6.75" pathLength={1} />
  </Icon>
);

export const ClockIcon = () => (
  <Icon name="clock" size={24}>
    <circle cx="8" cy="8" r="6.25" />
    <path d="M8 4.5V8l2.25 1.5" />
  </Icon>
);

export const CrossIcon = () => (
  <Icon name="cross" size={24}>
    <path d="m4.5 4.5 7 7m0-7-7 7" />
  </Icon>
);

export const CardlaneMark = () => (
  <svg viewBox="0 0 32 32" width="16" height="16" aria-hidden="true" focusable="false">
    <rect width="32" height="32" rx="7" fill="currentColor" />
    <path d="M6 12.5h20" stroke="var(--raised)" stroke-width="4" />
    <path d="M6 21h6M15 21h11" stroke="var(--raised)" stroke-width="2.5" stroke-opacity=".72" />
  </svg>
);

/** The merchant's logo at its own size, up to the style sheet's limit. */
export const Logo = ({ logo, merchant }: { logo: ShownLogo; merchant: string }) => (
  // biome-ignore lint/performance/noImgElement: not a Next page
  <img class="logo" src={logo.src} width={logo.width} height={logo.height} alt={merchant} />
);

export const isMarked = (brand: string | null): brand is CardBrand =>
  brand !== null && (CARD_BRANDS as readonly string[]).includes(brand);

/** A brand's mark, hand-drawn at 34 × 22 to be sharp on every screen. Hidden from screen readers. */
export function CardMark({ brand }: { brand: CardBrand | null }) {
  switch (brand) {
    case "visa":
      return (
        <Tile fill="#fff">
          <g fill="#1a3fb5" fill-rule="evenodd">
            <path d="M4.9 7H7.4L8.6 12 11.6 7H14.1L9.6 15H7.1Z" />
            <path d="M15.2 7H17.4L15.8 15H13.6Z" />
            <path d="M24.9 7H27.8L29.8 15H27.5L27.2 13.6H24.5L23.7 15H21.3ZM26 9.3 24.9 11.9H26.7Z" />
          </g>
          <path
            d="M22.2 8.6C20.7 7.7 18.6 7.8 18.5 9.2c-.1 1.6 2.8 1.5 2.7 3.4-.1 1.7-2.8 1.7-4.4.8"
            fill="none"
            stroke="#1a3fb5"
            stroke-width="2"
          />
        </Tile>
      );
    case "mastercard":
      return (
        <Tile fill="#fff">
          <circle cx="13.4" cy="11" r="6" fill="#eb001b" />
          <circle cx="20.6" cy="11" r="6" fill="#f79e1b" />
          <path d="M17 6.2a6 6 0 0 1 0 9.6 6 6 0 0 1 0-9.6" fill="#ff5f00" />
        </Tile>
      );
    case "amex":
      return (
        <Tile fill="#1668b8">
          <g fill="none" stroke="#fff" stroke-width="1.5" stroke-linejoin="bevel">
            <path d="M4.4 14.6 7 7.9 9.6 14.6M5.4 12.6H8.6" />
            <path d="M11.5 14.6V8.2L14 12 16.5 8.2V14.6" />
            <path d="M23 8.1H19V13.9H23M19 11H22.4" stroke-linejoin="miter" />
            <path d="M24.8 7.8 29.8 14.4M29.8 7.8 24.8 14.4" />
          </g>
        </Tile>
      );
    case "discover":
      return (
        <Tile fill="#fff">
          <path d="M34 12.5V19a3 3 0 0 1-3 3H11.5C21 20.5 29.5 17 34 12.5" fill="#f58220" />
          <g fill="none" stroke="#1f2328" stroke-width="1.3">
            <path d="M4.2 6.6V12.4H5.2C9 12.4 9 6.6 5.2 6.6Z" />
            <path d="M9.7 6V13" />
            <path d="M14.5 7.2C13.5 6.4 11.8 6.5 11.8 7.9c0 1.6 2.9 1.2 2.9 3 0 1.6-2.2 1.8-3.3.8" />
            <path d="M20.5 7.3A2.9 2.9 0 1 0 20.5 11.7" />
          </g>
          <circle cx="25.3" cy="9.5" r="3.4" fill="#f58220" />
        </Tile>
      );
    case null:
      return (
        <svg class="mark" viewBox="0 0 34 22" width="34" height="22" aria-hidden="true" focusable="false">
          <rect x=".75" y=".75" width="32.5" height="20.5" rx="3" fill="none" stroke="var(--edge)" stroke-width="1.5" />
          <path d="M1 6.5H33" stroke="var(--edge)" stroke-width="3.5" />
          <path d="M5.5 15.5H13" stroke="var(--edge)" stroke-width="1.5" stroke-linecap="round" />
        </svg>
      );
    default:
      return brand satisfies never;
  }
}

/** Position of the security code: three digits on the back, four on the front of an American Express card. */
export function CodePicture({ onFront }: { onFront: boolean }) {
  return (
    <svg class="mark" viewBox="0 0 34 22" width="34" height="22" aria-hidden="true" focusable="false">
      <rect x=".75" y=".75" width="32.5" height="20.5" rx="3" fill="none" stroke="var(--edge)" stroke-width="1.5" />
      {onFront ? (
        <>
          <rect x="5" y="5" width="6" height="4.5" rx="1" fill="var(--edge)" />
          <path d="M5.5 15.5H17" stroke="var(--edge)" stroke-width="1.5" stroke-linecap="round" />
          <rect
            x="18"
            y="3.8"
            width="12.5"
            height="7"
            rx="3.5"
            fill="var(--field)"
            stroke="var(--focus)"
            stroke-width="1.3"
          />
          <Digits from={20.6} y={7.3} count={4} />
        </>
      ) : (
        <>
          <path d="M1 5.5H33" stroke="var(--edge)" stroke-width="4" />
          <path d="M5 13H15" stroke="var(--edge)" stroke-width="3.5" />
          <rect
            x="17"
            y="9.5"
            width="12.5"
            height="7"
            rx="3.5"
            fill="var(--field)"
            stroke="var(--focus)"
            stroke-width="1.3"
          />
          <Digits from={20.2} y={13} count={3} />
        </>
      )}
    </svg>
  );
}

function Digits({ from, y, count }: { from: number; y: number; count: number }) {
  const step = count === 4 ? 2.4 : 3;
  // Some browsers don't draw a dash exactly at the end of a path.
  const ends = from + step * (count - 1) + 0.1;
  return (
    <path
      d={`M${from} ${y}H${ends}`}
      stroke="var(--text)"
      stroke-width="1.9"
      stroke-linecap="round"
      stroke-dasharray={`0 ${step}`}
    />
  );
}

function Tile({ fill, children }: { fill: string; children: ComponentChildren }) {
  return (
    <svg class="mark" viewBox="0 0 34 22" width="34" height="22" aria-hidden="true" focusable="false">
      <rect width="34" height="22" rx="3" fill={fill} />
      {children}
      <rect x=".5" y=".5" width="33" height="21" rx="2.5" fill="none" stroke="#000" stroke-opacity=".16" />
    </svg>
  );
}
