import {
  CelFailure,
  celOfJson,
  compileCel,
  fluxDeclarations,
  isObject,
  type JsonValue,
} from '@waygate/text';
import { DeliveryError, type Exchange } from './provider-exchange.ts';
import { type ProviderMessage, type ProviderSettings, reasonWords } from './provider-message.ts';
import { shortUid } from './provider-settings.ts';

/** What is said about a commit, in words that every server has. */
export interface CommitStatus {
  readonly sha: string;
  /** What tells one status of a commit from another. */
  readonly context: string;
  readonly isSuccess: boolean;
  readonly isPending: boolean;
  readonly description: string;
  /** `kustomization/apps` */
  readonly objectName: string;
}

/** How one kind of server is told. */
export type TellCommit = (
  status: CommitStatus,
  settings: ProviderSettings,
  exchange: Exchange,
) => Promise<void>;

const expressionCost = 200_000;

/** Tells about the commit that an event is about; what says nothing about it yet is not told. */
export function sendCommitStatus(tell: TellCommit, options: { tellsProgress?: boolean } = {}) {
  return async (
    message: ProviderMessage,
    settings: ProviderSettings,
    exchange: Exchange,
  ): Promise<void> => {
    const { event } = message;
    const isPending = event.reason === 'Progressing';
    if (isPending && options.tellsProgress !== true) return;
    const { kind = '', name = '' } = event.involvedObject;
    const objectName = `${kind.toLowerCase()}/${name}`;
    await tell(
      {
        sha: commitOf(event.metadata ?? {}),
        context: contextOf(message, settings, objectName),
        isSuccess: event.severity !== 'error',
        isPending,
        description: reasonWords(event.reason),
        objectName,
      },
      settings,
      exchange,
    );
  };
}

/** `main@sha1:5394…`, `main/5394…` or the digits alone. */
export function commitOf(metadata: Readonly<Record<string, string>>): string {
  const revision = metadata.commit || metadata.originRevision || metadata.revision || '';
  const parts = revision.includes(':') ? revision.split(':') : revision.split('/');
  const sha = parts.at(-1) ?? '';
  if (/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(sha)) return sha;
  throw new DeliveryError('the event has no revision with a commit');
}

/** Whether a list of statuses, the newest first, has this one as its latest word. */
export function isToldAlready(
  statuses: unknown,
  isOurs: (one: Readonly<Record<string, unknown>>) => boolean,
  isSame: (one: Readonly<Record<string, unknown>>) => boolean,
): boolean {
  if (!Array.isArray(statuses)) return false;
  const latest = statuses.find((one) => isObject(one) && isOurs(one));
  return isObject(latest) && isSame(latest);
}

function contextOf(
  { event, alert }: ProviderMessage,
  { provider }: ProviderSettings,
  objectName: string,
): string {
  const expression = provider.spec.commitStatusExpr ?? '';
  if (expression === '') return `${objectName}/${shortUid(provider)}`;
  const refuse = (why: string) =>
    new DeliveryError(`spec.commitStatusExpr cannot be evaluated: ${why}`);
  const checked = compileCel(expression, fluxDeclarations);
  if ('issues' in checked) throw refuse(checked.issues);
  const program = checked.program(fluxDeclarations);
  if (program instanceof CelFailure) throw refuse(program.message);
  const variables: Record<string, unknown> = { event, alert, provider };
  const { value } = program.evaluate(
    (name) =>
      Object.hasOwn(variables, name) ? celOfJson(variables[name] as JsonValue) : undefined,
    expressionCost,
  );
  if (value instanceof CelFailure) throw refuse(value.message);
  if (typeof value !== 'string' || value === '') throw refuse('it is no text, or an empty one');
  return value;
}
