/** What went wrong with a chart, in a form that callers can tell apart without reading the text. */
export type HelmErrorCode =
  /** A template could not be parsed or executed; the message is laid out as Helm's. Mend the template at the line that it names. */
  | 'WG_HELM_TEMPLATE'
  /** The chart itself cannot be read: a missing or broken Chart.yaml, a hostile archive. Mend the chart, or fetch it again. */
  | 'WG_HELM_CHART'
  /** The values do not parse, or do not fit the chart's schema. Mend the value that the message names. */
  | 'WG_HELM_VALUES'
  /** The chart asked for more steps, bytes or depth than it may use. Raise the limit by its option if the chart is trusted. */
  | 'WG_HELM_LIMIT'
  /** A release cannot be read, or the cluster refused what it asks for; the message is Helm's. Mend what it names, or wait for the action that is under way. */
  | 'WG_HELM_RELEASE';

/**
 * The one error of this room. `message` says what and where, as Helm would.
 *
 * ```ts
 * try {
 *   readValues('a: [');
 * } catch (error) {
 *   if (error instanceof HelmError) error.code; // 'WG_HELM_VALUES'
 * }
 * ```
 */
export class HelmError extends Error {
  readonly code: HelmErrorCode;

  constructor(code: HelmErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'HelmError';
    this.code = code;
  }
}
