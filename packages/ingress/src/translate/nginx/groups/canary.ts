import type { AnnotationReader } from '../annotation-reader.ts';
import { isRunnable } from '../runnable-pattern.ts';

/** An Ingress that takes a part of the requests of another one's paths. */
export interface Canary {
  /** What the plugin `canary` is told, beside the upstream. */
  readonly plugin: Readonly<Record<string, unknown>>;
  /** Whether a client keeps to the side that it came to. */
  readonly isSticky: boolean;
}

export function parseCanary(read: AnnotationReader): Canary | undefined {
  if (read.bool('canary') !== true) return undefined;
  const cookie = read.text('canary-by-cookie');
  const total = read.int('canary-weight-total') ?? 100;
  return {
    plugin: {
      ...byHeader(read),
      ...(cookie !== undefined && { cookie }),
      weight: within(read.int('canary-weight') ?? 0, 0),
      weight_total: within(total, 100),
    },
    isSticky: (read.text('affinity-canary-behavior') ?? 'sticky') === 'sticky',
  };
}

/** A pattern that cannot be run matches nothing: the header then decides nothing. */
function byHeader(read: AnnotationReader): Record<string, string> {
  const header = read.text('canary-by-header');
  const value = read.text('canary-by-header-value');
  const pattern = read.text('canary-by-header-pattern');
  if (header === undefined) return {};
  if (value !== undefined) return { header, header_value: value };
  if (pattern === undefined) return { header };
  if (isRunnable(pattern, 'pcre')) return { header, header_pattern: pattern };
  read.problem('canary-by-header-pattern', 'is no pattern that can be run, and is not used');
  return {};
}

/** As much as a gateway counts to. */
function within(value: number, least: number): number {
  return Math.min(Math.max(value, least), 2 ** 31 - 1);
}
