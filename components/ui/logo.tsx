/** The mark and the name; the link around it says where it leads. */
export function Logo() {
  return (
    <span className="flex items-center gap-2 font-semibold tracking-tight">
      <svg viewBox="0 0 32 32" className="size-5" aria-hidden="true">
        <rect width="32" height="32" rx="7" className="fill-accent" />
        <path d="M6 12.5h20" className="stroke-on-accent" strokeWidth="4" />
        <path d="M6 21h6M15 21h11" className="stroke-on-accent" strokeWidth="2.5" strokeOpacity=".72" />
      </svg>
      Cardlane
    </span>
  );
}
