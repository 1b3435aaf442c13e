import { Gateway } from '@waygate/gateway';
import {
  AdminClient,
  applyPlan,
  createPlan,
  type DeclarativeConfig,
  dumpConfig,
  type JsonObject,
  KongEntities,
  mergeContents,
  type Operation,
  type PrepareOptions,
  parseContent,
  prepareSync,
  readState,
  sanitizeConfig,
  withoutDefaults,
} from '@waygate/kong';

/** A file of a test. */
export interface StateFile {
  readonly path: string;
  readonly json?: JsonObject;
  /** As it stands in the repository, where it is more than data: with variables of the environment. */
  readonly text?: string;
}

/** The flags of decK that a test gave, as the options of ours. */
export interface Flags {
  readonly texts: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** An embedded gateway on which the steps of one test are done. */
export class UpstreamGateway {
  readonly #gateway = new Gateway({
    mode: 'database',
    proxy: [],
    takesUnrunnablePlugins: true,
  });
  #client: AdminClient | undefined;

  async start(): Promise<void> {
    const { admin } = await this.#gateway.start();
    this.#client = new AdminClient({ url: `http://127.0.0.1:${admin?.port}` });
  }

  get client(): AdminClient {
    if (this.#client === undefined) throw new Error('the gateway has not started');
    return this.#client;
  }

  async stop(): Promise<void> {
    await this.#client?.close();
    await this.#gateway.stop();
  }

  /** Makes the gateway as the file wants it; what is wrong, if anything is. */
  async sync(file: StateFile, flags: Flags): Promise<string | undefined> {
    const { config, problem } = configOf(file, flags);
    if (problem !== undefined) return problem;
    const prepared = await prepareSync(this.client, config, optionsOf(flags));
    if (prepared.problems[0] !== undefined) return prepared.problems[0].message;
    const result = await applyPlan(this.client, prepared.plan);
    return result.failed[0]?.error.message;
  }

  /** Makes what the file names as it wants it, and leaves the rest; what is wrong, if anything is. */
  async apply(file: StateFile, flags: Flags): Promise<string | undefined> {
    const { config, problem } = configOf(file, flags);
    if (problem !== undefined) return problem;
    const options = { ...optionsOf(flags), isPartial: true };
    const prepared = await prepareSync(this.client, config, options);
    if (prepared.problems[0] !== undefined) return prepared.problems[0].message;
    const result = await applyPlan(this.client, prepared.plan);
    return result.failed[0]?.error.message;
  }

  /** What a sync of the file would do. */
  async diff(file: StateFile, flags: Flags): Promise<readonly Operation[] | string> {
    const { config, problem } = configOf(file, flags);
    if (problem !== undefined) return problem;
    const prepared = await prepareSync(this.client, config, optionsOf(flags));
    return prepared.problems[0]?.message ?? prepared.plan.operations;
  }

  async reset(flags: Flags): Promise<string | undefined> {
    const current = await this.#read(flags);
    const result = await applyPlan(this.client, createPlan(current, new KongEntities()));
    return result.failed[0]?.error.message;
  }

  async dump(flags: Flags): Promise<JsonObject> {
    const state = await this.#read(flags);
    const isShort = flags.texts.includes('--skip-defaults');
    const config = dumpConfig(isShort ? withoutDefaults(state) : state, {
      formatVersion: '3.0',
      withIds: flags.texts.includes('--with-id'),
      selectTags: valuesOf(flags, '--select-tag'),
    });
    const isSanitized = flags.texts.includes('--sanitize');
    return (isSanitized ? sanitizeConfig(config, 'salt') : config) as JsonObject;
  }

  state(): Promise<KongEntities> {
    return readState(this.client);
  }

  #read(flags: Flags): Promise<KongEntities> {
    return readState(this.client, {
      tags: valuesOf(flags, '--select-tag'),
      skipsConsumers: flags.texts.includes('--skip-consumers'),
      skipsCaCertificates: flags.texts.includes('--skip-ca-certificates'),
      skipsMemberships: flags.texts.includes('--skip-consumers-with-consumer-groups'),
    });
  }
}

function valuesOf({ texts }: Flags, name: string): string[] {
  return texts.flatMap((text, index) => (text === name ? [texts[index + 1] ?? ''] : []));
}

function optionsOf(flags: Flags): PrepareOptions {
  return {
    selectTags: valuesOf(flags, '--select-tag'),
    skipsConsumers: flags.texts.includes('--skip-consumers'),
    skipsCaCertificates: flags.texts.includes('--skip-ca-certificates'),
    skipsMemberships: flags.texts.includes('--skip-consumers-with-consumer-groups'),
  };
}

function configOf(
  { json, text }: StateFile,
  { environment }: Flags,
): { readonly config: DeclarativeConfig; readonly problem?: string } {
  const parsed = parseContent(text ?? JSON.stringify(json ?? {}), { environment });
  const { config, problems } = mergeContents([parsed.content]);
  const problem = [...parsed.problems, ...problems][0];
  return { config, ...(problem === undefined ? {} : { problem }) };
}
