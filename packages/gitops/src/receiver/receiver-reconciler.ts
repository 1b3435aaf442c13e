import { compileExpression } from '@waygate/apply';
import {
  type Clock,
  done,
  type EventRecorder,
  failed,
  type ReconcileContext,
  type ReconcileResult,
  requeueAfter,
} from '@waygate/runtime';
import { compileCel, fluxDeclarations } from '@waygate/text';
import { requestedAtAnnotation } from '../api/annotations.ts';
import { Conditions } from '../api/conditions.ts';
import { type Receiver, type ReceiverStatus, receiverKind } from '../api/notification-objects.ts';
import { messageOf } from '../gitops-error.ts';
import { durationMs, jittered } from '../interval.ts';
import type { OwnObjects } from '../own-objects.ts';
import { SecretUnavailable, type SourceSecrets } from '../source/source-secrets.ts';
import { oidcProblem, type SpecProblem } from './oidc-claims.ts';
import { receiverTypes } from './receiver-types.ts';
import { webhookPath } from './webhook-path.ts';

interface ReceiverReconcilerOptions {
  readonly objects: OwnObjects<Receiver>;
  readonly secrets: SourceSecrets;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly random: () => number;
  readonly jitter: number;
}

const defaultIntervalMs = 600_000;

/** Gives each Receiver its path, and says in its status whether it can be used. */
export class ReceiverReconciler {
  readonly #options: ReceiverReconcilerOptions;

  constructor(options: ReceiverReconcilerOptions) {
    this.#options = options;
  }

  async reconcile(key: string, { signal }: ReconcileContext): Promise<ReconcileResult> {
    const { objects, clock, random, jitter } = this.#options;
    const object = objects.get(key);
    if (object === undefined) return done;
    if (object.metadata.deletionTimestamp !== undefined) {
      await objects.removeFinalizer(object, signal);
      return done;
    }
    if (object.spec.suspend === true) return done;
    const { generation = 0 } = object.metadata;
    const conditions = new Conditions(object.status?.conditions, generation, () => clock.now());
    const write = (path: string) => this.#write(object, conditions, path, signal);
    const stalling = invalidOf(object);
    if (stalling !== undefined) {
      conditions.remove('Reconciling');
      conditions.set('Stalled', 'True', stalling.reason, stalling.message);
      conditions.set('Ready', 'False', stalling.reason, stalling.message);
      await write('');
      this.#tell(object, 'Warning', stalling.reason, stalling.message);
      return failed(new Error(stalling.message));
    }
    conditions.remove('Stalled');
    const { name = '', namespace = '' } = object.metadata;
    let token: string;
    try {
      token = await this.#token(object, signal);
    } catch (error) {
      if (!(error instanceof SecretUnavailable)) throw error;
      conditions.set('Reconciling', 'True', 'ProgressingWithRetry', messageOf(error));
      conditions.set('Ready', 'False', 'TokenNotFound', messageOf(error));
      await write('');
      this.#tell(object, 'Warning', 'TokenNotFound', messageOf(error));
      throw error;
    }
    const path = webhookPath(token, name, namespace);
    const message = `Receiver initialized for path: ${path}`;
    conditions.remove('Reconciling');
    conditions.set('Ready', 'True', 'Succeeded', message);
    if (object.status?.webhookPath !== path) this.#tell(object, 'Normal', 'Succeeded', message);
    await write(path);
    return requeueAfter(
      jittered(durationMs(object.spec.interval, defaultIntervalMs), jitter, random),
    );
  }

  async #token(object: Receiver, signal: AbortSignal): Promise<string> {
    const { namespace = '' } = object.metadata;
    const name = object.spec.secretRef?.name;
    // Who asks for tokens of an issuer has none: then the path is no secret.
    if (name === undefined) return '';
    const secret = await this.#options.secrets.read(namespace, name, signal);
    const token = secret?.token ?? '';
    if (token === '')
      throw new SecretUnavailable(
        `invalid secret '${namespace}/${name}': key 'token' is missing or empty`,
      );
    return token;
  }

  async #write(
    object: Receiver,
    conditions: Conditions,
    path: string,
    signal: AbortSignal,
  ): Promise<void> {
    const { webhookPath: _old, ...rest } = object.status ?? {};
    const requestedAt = object.metadata.annotations?.[requestedAtAnnotation];
    const status: ReceiverStatus = {
      ...rest,
      ...(path === '' ? {} : { webhookPath: path }),
      ...(requestedAt === undefined ? {} : { lastHandledReconcileAt: requestedAt }),
      observedGeneration: object.metadata.generation ?? 0,
      conditions: conditions.list(),
    };
    await this.#options.objects.writeStatus(object, status, signal);
  }

  #tell(object: Receiver, type: 'Normal' | 'Warning', reason: string, message: string): void {
    const { group, version, kind } = receiverKind;
    const regarding = { ...object, apiVersion: `${group}/${version}`, kind };
    this.#options.events.event(regarding, type, reason, message);
  }
}

/** What no retry mends: it takes another spec. */
function invalidOf({ spec }: Receiver): SpecProblem | undefined {
  if (!receiverTypes.has(spec.type))
    return {
      reason: 'ValidationFailed',
      message: `receivers of type ${spec.type} are not supported`,
    };
  const expressions = [spec.resourceFilter, ...spec.resources.map(({ filter }) => filter)];
  for (const expression of expressions) {
    if (expression === undefined || expression === '') continue;
    try {
      compileExpression(expression);
    } catch (error) {
      return { reason: 'InvalidCELExpression', message: messageOf(error) };
    }
    const checked = compileCel(expression, fluxDeclarations);
    if (spec.type !== 'generic-oidc' && !('issues' in checked) && checked.uses('claims'))
      return {
        reason: 'InvalidCELExpression',
        message: `only receivers of type generic-oidc know claims: '${expression}'`,
      };
  }
  return oidcProblem(spec);
}
