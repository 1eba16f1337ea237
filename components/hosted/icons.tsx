/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";

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

export const CheckIcon = () => (
  <Icon name="check" size={28}>
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
