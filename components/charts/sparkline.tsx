type SparklineProps = { values: readonly number[]; className?: string };

const WIDTH = 96;
const HEIGHT = 28;
const MOST_POINTS = 32;

/** The course of a figure at a glance; the figures themselves stand elsewhere, so it is silent. */
export function Sparkline({ values, className }: SparklineProps) {
  const points = thinned(values);
  const low = Math.min(0, ...points);
  const span = Math.max(...points, 0) - low || 1;
  const at = (value: number, index: number) => {
    const x = points.length === 1 ? WIDTH : (index / (points.length - 1)) * WIDTH;
    return `${x.toFixed(1)},${(HEIGHT - 1.5 - ((value - low) / span) * (HEIGHT - 3)).toFixed(1)}`;
  };
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      aria-hidden="true"
      preserveAspectRatio="none"
      className={className}
    >
      <polyline
        points={points.map(at).join(" ")}
        fill="none"
        stroke="var(--edge)"
        strokeWidth="1.25"
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}

/** Sums of neighbours where there are more values than points to draw. */
function thinned(values: readonly number[]): number[] {
  const size = Math.ceil(values.length / MOST_POINTS);
  const points: number[] = [];
  for (let from = 0; from < values.length; from += size) {
    const group = values.slice(from, from + size);
    points.push(group.reduce((sum, value) => sum + value, 0) / group.length);
  }
  return points;
}
