export type { DashboardErrorCode } from './dashboard-error.ts';
export { DashboardError } from './dashboard-error.ts';
