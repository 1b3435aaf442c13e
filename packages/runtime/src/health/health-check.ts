/** Throws, or rejects, with what is wrong. */
export type HealthCheck = (signal: AbortSignal) => void | Promise<void>;

/** What the checks said. */
export interface HealthReport {
  readonly isHealthy: boolean;
  /** As Kubernetes' own components answer: a line for each check, and a verdict. */
  readonly text: string;
}

/**
 * Always passes: that it answers is the news.
 *
 * ```ts
 * new HealthServer().addHealthCheck('ping', ping);
 * ```
 */
export const ping: HealthCheck = () => {};

/**
 * Runs the checks of one endpoint, such as `healthz`. Why a check failed is not in the report, which
 * anybody may read; it goes to `onFailure`.
 *
 * ```ts
 * const checks = new Map<string, HealthCheck>([['ping', ping]]);
 * const report = await checkHealth('readyz', checks, { signal });
 * ```
 */
export async function checkHealth(
  endpoint: string,
  checks: ReadonlyMap<string, HealthCheck>,
  options: {
    readonly excluded?: readonly string[];
    readonly signal: AbortSignal;
    readonly onFailure?: (name: string, error: unknown) => void;
  },
): Promise<HealthReport> {
  const excluded = new Set(options.excluded ?? []);
  const names = checks.size === 0 ? ['ping'] : [...checks.keys()].sort();
  const lines = await Promise.all(
    names.map(async (name) => {
      if (excluded.has(name)) return { isHealthy: true, text: `[+]${name} excluded: ok` };
      try {
        await (checks.get(name) ?? ping)(options.signal);
        return { isHealthy: true, text: `[+]${name} ok` };
      } catch (error) {
        options.onFailure?.(name, error);
        return { isHealthy: false, text: `[-]${name} failed: reason withheld` };
      }
    }),
  );
  const isHealthy = lines.every((line) => line.isHealthy);
  const unknown = [...excluded].filter((name) => !names.includes(name)).sort();
  const warning =
    unknown.length === 0
      ? []
      : [
          `warn: some health checks cannot be excluded: no matches for ${unknown
            .map((name) => JSON.stringify(name))
            .join(',')}`,
        ];
  const verdict = `${endpoint} check ${isHealthy ? 'passed' : 'failed'}`;
  const text = [...lines.map((line) => line.text), ...warning, verdict].join('\n');
  return { isHealthy, text: `${text}\n` };
}
