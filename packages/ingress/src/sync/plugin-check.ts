import { type AdminClient, type Operation, runInParallel } from '@waygate/kong';
import { entryOf } from '../store/entry-of.ts';
import { refusalOf } from './admin-api.ts';

/** A plugin that a gateway would refuse. */
interface RefusedPlugin {
  readonly operation: Operation;
  readonly message: string;
}

const scopes = ['route', 'service', 'consumer', 'consumer_group'] as const;
const anyId = '00000000-0000-4000-8000-000000000000';
const parallelism = 10;

/**
 * Asks a gateway what it has against plugins before anything is written, so that nothing has to be
 * taken back. Most plugins of a cluster are the same in many places: each content is asked for once.
 */
export class PluginCheck {
  /** By content; undefined for what is fine. */
  readonly #known = new Map<string, string | undefined>();
  #isSupported = true;

  /** The gateway may be another one, or have other plugins. */
  forget(): void {
    this.#known.clear();
    this.#isSupported = true;
  }

  /** The plugins of a plan that the gateway would refuse; undefined when there is none. */
  async check(
    client: AdminClient,
    operations: readonly Operation[],
    signal: AbortSignal,
  ): Promise<readonly RefusedPlugin[] | undefined> {
    const written = operations.filter(
      ({ collection, op, isRelease }) =>
        collection === 'plugins' && op !== 'delete' && isRelease !== true,
    );
    const contents = new Map<string, Operation[]>();
    for (const operation of written) {
      entryOf(contents, contentOf(operation), () => []).push(operation);
    }
    const unknown = [...contents.keys()].filter((content) => !this.#known.has(content));
    await runInParallel(unknown, parallelism, (content) => this.#ask(client, content, signal));
    const refused = [...contents].flatMap(([content, own]) => {
      const message = this.#known.get(content);
      return message === undefined ? [] : own.map((operation) => ({ operation, message }));
    });
    return refused.length === 0 ? undefined : refused;
  }

  async #ask(client: AdminClient, content: string, signal: AbortSignal): Promise<void> {
    if (!this.#isSupported) return;
    try {
      const body = JSON.parse(content) as Record<string, unknown>;
      await client.send('POST', '/schemas/plugins/validate', { body, signal, ignoresAnswer: true });
      this.#known.set(content, undefined);
    } catch (error) {
      const status = refusalOf(error)?.status;
      if (status === 400) this.#known.set(content, (error as Error).message);
      // Older gateways have no such question: what they refuse is found out by the write.
      else if (status === 404 || status === 405) this.#isSupported = false;
      else throw error;
    }
  }
}

/** A plugin by itself: where it is matters only by kind. */
function contentOf({ after }: Operation): string {
  const { id: _id, tags: _tags, instance_name: _name, ...plugin } = after ?? { id: '' };
  const content: Record<string, unknown> = { ...plugin };
  for (const scope of scopes) if (content[scope]) content[scope] = { id: anyId };
  return JSON.stringify(content);
}
