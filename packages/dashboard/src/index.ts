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
  ActionAnswer,
  ActionQuestion,
  DashboardRefusal,
  PreviewAnswer,
  PreviewQuestion,
  SignInOffer,
} from './protocol/requests.ts';
export type { RoutePlugin, RouteRow, RouteTarget, RouteTraffic } from './protocol/routes.ts';
export type { StreamMessage, Topic, TopicSnapshot, Topics } from './protocol/stream.ts';
