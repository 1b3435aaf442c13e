/** What a request to the dashboard can fail with; each is one HTTP status. */
export type DashboardErrorCode =
  /** Nobody has signed in, or the token has ended. Open the printed address again, or sign in. */
  | 'WG_DASHBOARD_UNAUTHENTICATED'
  /** The person may not see or do this; the API said so. Ask for the right that the message names. */
  | 'WG_DASHBOARD_FORBIDDEN'
  /** There is no such page, object or route, or the person may not know of it. Check the name and the namespace. */
  | 'WG_DASHBOARD_NOT_FOUND'
  /** The request itself is wrong: an unknown parameter, a foreign Origin, a missing CSRF token. Reload the page. */
  | 'WG_DASHBOARD_BAD_REQUEST'
  /** The Kubernetes API, the gateway or a source did not answer. Is it reachable from where the dashboard runs? */
  | 'WG_DASHBOARD_UPSTREAM'
  /** A defect of the dashboard. Its log has the error itself; please report it. */
  | 'WG_DASHBOARD_INTERNAL';

/**
 * The one error of this room.
 *
 * ```ts
 * const error = new DashboardError('WG_DASHBOARD_NOT_FOUND', 'there is no branch nosuch');
 * error.code; // 'WG_DASHBOARD_NOT_FOUND'
 * ```
 */
export class DashboardError extends Error {
  readonly code: DashboardErrorCode;

  constructor(code: DashboardErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DashboardError';
    this.code = code;
  }
}
