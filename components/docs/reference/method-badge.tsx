const COLORS: Record<string, string> = { get: "text-green", post: "text-blue", patch: "text-amber" };

export function MethodBadge({ method }: { method: string }) {
  return <span className={`font-medium uppercase ${COLORS[method.toLowerCase()] ?? ""}`}>{method}</span>;
}
