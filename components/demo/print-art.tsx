import type { ReactNode } from "react";
import type { PrintId } from "./prints";

/** The prints themselves: paper, ink and three shapes. They are pictures, so their colours are the same in both schemes. */
const ART: Record<PrintId, ReactNode> = {
  tide: (
    <>
      <rect width="300" height="400" fill="#f3dfc1" />
      <circle cx="150" cy="168" r="74" fill="#e2603a" />
      <path d="M0 190c50-16 100-16 150 0s100 16 150 0v210H0z" fill="#f0a868" />
      <path d="M0 232c50-18 100-18 150 0s100 18 150 0v168H0z" fill="#d97f5e" />
      <path d="M0 276c50-18 100-18 150 0s100 18 150 0v124H0z" fill="#93576b" />
      <path d="M0 320c50-18 100-18 150 0s100 18 150 0v80H0z" fill="#4a4468" />
      <path d="M0 362c50-14 100-14 150 0s100 14 150 0v38H0z" fill="#26304f" />
    </>
  ),
  ridge: (
    <>
      <rect width="300" height="400" fill="#e9e4d4" />
      <circle cx="214" cy="92" r="34" fill="#f2b84b" />
      <path d="M0 210 46 158l32 30 52-84 44 70 30-34 52 66 44-40v224H0z" fill="#b9c6bd" />
      <path d="m0 262 58-56 40 42 60-80 54 74 42-38 46 44v152H0z" fill="#7d9c95" />
      <path d="m0 312 44-34 62 40 58-64 60 66 76-50v130H0z" fill="#44696b" />
      <path d="m0 352 70-30 66 34 74-40 90 36v48H0z" fill="#213f47" />
    </>
  ),
  harbour: (
    <>
      <rect width="300" height="400" fill="#cfe0dd" />
      <rect width="300" height="150" y="250" fill="#3d7f86" />
      <path
        d="M0 250h300v10H0zM34 286h84v5H34zM164 302h98v5h-98zM84 334h112v5H84zM20 366h70v5H20zM206 362h66v5h-66z"
        fill="#63a1a2"
      />
      <path d="M72 60v176M150 34v202M226 84v152" stroke="#2b2a33" strokeWidth="5" />
      <path d="M78 70v132h52z" fill="#fbf3e0" />
      <path d="M144 52v152H92z" fill="#e2603a" />
      <path d="M156 44v160h58z" fill="#f6d99a" />
      <path d="M232 94v112h46z" fill="#fbf3e0" />
      <path d="M28 222h92l-14 34H44zM104 218h96l-16 40h-62zM186 224h92l-14 32h-64z" fill="#2b2a33" />
      <path d="M28 222h92l-3 8H31zM104 218h96l-3 8h-90zM186 224h92l-3 8h-86z" fill="#b5391f" />
    </>
  ),
};

/** Three by four; described by the text beside it. */
export function PrintArt({ print, className }: { print: PrintId; className?: string }) {
  return (
    <svg viewBox="0 0 300 400" className={className} aria-hidden="true" preserveAspectRatio="xMidYMid slice">
      {ART[print]}
    </svg>
  );
}
