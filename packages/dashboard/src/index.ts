export type { Person, PersonProof } from './access/person.ts';
export type { DashboardErrorCode } from './dashboard-error.ts';
export { DashboardError } from './dashboard-error.ts';
export type {
  ChangeDetail,
  ChangeKind,
  ChangeRow,
  CommitPage,
  EntityDiff,
  ObjectDiff,
} from './protocol/changes.ts';
export type { FlowEdge, FlowNode, FlowStage } from './protocol/flow.ts';
export type {
  MigratedIngress,
  MigratedName,
  MigrationPage,
  MigrationVerdict,
} from './protocol/migration.ts';
export type {
  FieldOwner,
  LostRoute,
  ObjectAction,
  ObjectCondition,
  ObjectPage,
  Session,
  ShownEvent,
  SourceReferences,
  TraceAnswer,
  TraceLink,
  TraceQuestion,
} from './protocol/pages.ts';
export type { ProblemRow, Severity } from './protocol/problems.ts';
export type { Health, Origin, ShownObject } from './protocol/reference.ts';
export type {
  ActionQuestion,
  DashboardRefusal,
  PreviewAnswer,
  PreviewQuestion,
  SignInOffer,
} from './protocol/requests.ts';
export type { RoutePlugin, RouteRow, RouteTarget, RouteTraffic } from './protocol/routes.ts';
export type { StreamMessage, Topic, TopicSnapshot, Topics } from './protocol/stream.ts';
export { currentProblems } from './server/current-problems.ts';
export { Dashboard, type DashboardOptions } from './server/dashboard.ts';
export { DashboardCore, type DashboardCoreOptions } from './server/dashboard-core.ts';
export type {
  MigrationEngine,
  PreviewEngine,
  SourcePreview,
  TraceEngine,
} from './server/engines.ts';
export { BearerToken } from './sign-in/bearer-token.ts';
export { CookieSeal } from './sign-in/cookie-seal.ts';
export { Oidc, type OidcOptions } from './sign-in/oidc.ts';
export { OneTimeToken } from './sign-in/one-time-token.ts';
export { People } from './sign-in/people.ts';
export { ProxyHeaders, type ProxyHeadersOptions } from './sign-in/proxy-headers.ts';
export {
  type KnownSession,
  Sessions,
  type SessionsOptions,
  type SharedSessions,
} from './sign-in/sessions.ts';
export type { SignIn, SignInChoices } from './sign-in/sign-in.ts';
export { entityDiffOf, objectDiffOf } from './view/change-diff.ts';
export type { Happening, RecordedEntity, RecordedObject } from './view/happening.ts';
export { compareProblems, type ReportedProblem } from './view/problem-rows.ts';
export { type SeenObject, seenObject } from './view/seen-object.ts';
