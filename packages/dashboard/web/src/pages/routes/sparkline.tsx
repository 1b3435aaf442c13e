import type { RouteTraffic } from '../../../../src/protocol/routes.ts';

const width = 100;
const height = 24;

/** The requests of the last minutes as a hill, the failed ones as red bars in front of it. */
export function Sparkline({ traffic }: { readonly traffic: RouteTraffic }) {
  const { requests, errors } = traffic;
  const most = Math.max(1, ...requests);
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path class="sparkline-hill" d={`${line(requests, most)}L${width} ${height}L0 ${height}Z`} />
      <path class="sparkline-line" d={line(requests, most)} />
      <path class="sparkline-errors" d={bars(errors, most)} />
    </svg>
  );
}

function line(values: readonly number[], most: number): string {
  const step = values.length > 1 ? width / (values.length - 1) : width;
  const points = values.map((value, index) => `${round(index * step)} ${y(value, most)}`);
  return points.length === 0 ? `M0 ${height - 1}L${width} ${height - 1}` : `M${points.join('L')}`;
}

function bars(values: readonly number[], most: number): string {
  const step = values.length > 1 ? width / (values.length - 1) : width;
  return values
    .map((value, index) =>
      value > 0 ? `M${round(index * step)} ${height}V${Math.min(y(value, most), height - 3)}` : '',
    )
    .join('');
}

function y(value: number, most: number): number {
  return round(height - 1 - (value / most) * (height - 3));
}

function round(number: number): number {
  return Math.round(number * 10) / 10;
}
