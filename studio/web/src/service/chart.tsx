// A line chart of recent values as SVG, with a text alternative for screen readers.

export function Line({ label, values, unit }: { label: string; values: number[]; unit: string }) {
  const most = Math.max(1, ...values);
  const points = values.map((each, index) => `${(index / Math.max(1, values.length - 1)) * 100},${38 - (each / most) * 34}`);
  const last = values.at(-1) ?? 0;
  return (
    <figure className="chart">
      <figcaption>
        <span className="muted small">{label}</span>
        <strong>
          {last.toFixed(last < 10 ? 1 : 0)} <span className="small muted">{unit}</span>
        </strong>
      </figcaption>
      <svg viewBox="0 0 100 40" preserveAspectRatio="none" role="img" aria-label={`${label}: ${last.toFixed(1)} ${unit} now, at most ${most.toFixed(1)}`}>
        {values.length > 1 && <polygon points={`0,40 ${points.join(" ")} 100,40`} />}
        {values.length > 1 && <polyline points={points.join(" ")} vectorEffect="non-scaling-stroke" />}
      </svg>
    </figure>
  );
}
