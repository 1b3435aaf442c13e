import type { AnnotationReader } from '../annotation-reader.ts';

/** An Ingress that takes a part of the requests of another one's paths. */
export interface Canary {
  /** What the plugin `canary` is told, beside the upstream. */
  readonly plugin: Readonly<Record<string, unknown>>;
  /** Whether a client keeps to the side that it came to. */
  readonly isSticky: boolean;
}

export function parseCanary(read: AnnotationReader): Canary | undefined {
  if (read.bool('canary') !== true) return undefined;
  const optional = (name: string, annotation: string) => {
    const value = read.text(annotation);
    return value === undefined ? {} : { [name]: value };
  };
  const total = read.int('canary-weight-total') ?? 100;
  return {
    plugin: {
      ...optional('header', 'canary-by-header'),
      ...optional('header_value', 'canary-by-header-value'),
      ...optional('header_pattern', 'canary-by-header-pattern'),
      ...optional('cookie', 'canary-by-cookie'),
      weight: Math.max(read.int('canary-weight') ?? 0, 0),
      weight_total: Math.max(total, 100),
    },
    isSticky: (read.text('affinity-canary-behavior') ?? 'sticky') === 'sticky',
  };
}
