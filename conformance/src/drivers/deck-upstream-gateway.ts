import { Gateway } from '@waygate/gateway';
import {
  AdminClient,
  applyPlan,
  countOperations,
  createPlan,
  createWorkspace,
  type DeclarativeConfig,
  type DiagnosticCode,
  dumpConfig,
  findDiagnostics,
  findFormatProblem,
  type JsonObject,
  KongEntities,
  mergeContents,
  type Operation,
  operationText,
  type PreparedSync,
  type PrepareOptions,
  parseContent,
  parseDiagnosticCodes,
  prepareSync,
  type RouterFlavor,
  readServerSchemas,
  readState,
  reportJson,
  sanitizeConfig,
  summaryText,
  withoutDefaults,
} from '@waygate/kong';
import { DeckServer } from './deck-server.ts';
import type { Stranger } from './deck-upstream-case.ts';

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
  /** Whether what the file does not name stays. */
  readonly isPartial?: boolean;
  readonly environment: Readonly<Record<string, string>>;
}

/** A Kong on which the steps of one test are done: the embedded gateway, or a server that takes everything. */
export class UpstreamGateway {
  readonly #gateway: Gateway | undefined;
  readonly #server: DeckServer | undefined;
  readonly #clients = new Map<string | undefined, AdminClient>();
  #url = '';
  /** The workspace of the last file. */
  #workspace: string | undefined;
  #secrets: readonly string[] = [];

  /**
   * @param kong - `embedded`, or the version that another one has
   * @param flavor - the router of the embedded one
   */
  constructor(kong: string, flavor: RouterFlavor) {
    if (kong === 'embedded') {
      const options = { proxy: [], takesUnrunnablePlugins: true, flavor };
      this.#gateway = new Gateway({ mode: 'database', ...options });
    } else this.#server = new DeckServer(kong);
  }

  async start(): Promise<void> {
    const started = await this.#gateway?.start();
    this.#url = (await this.#server?.listen()) ?? `http://127.0.0.1:${started?.admin?.port}`;
  }

  get client(): AdminClient {
    const known = this.#clients.get(this.#workspace);
    if (known !== undefined) return known;
    const workspace = this.#workspace === undefined ? {} : { workspace: this.#workspace };
    const client = new AdminClient({ url: this.#url, ...workspace });
    this.#clients.set(this.#workspace, client);
    return client;
  }

  async stop(): Promise<void> {
    for (const client of this.#clients.values()) await client.close();
    await this.#gateway?.stop();
    await this.#server?.close();
  }

  /** Makes an entity that belongs to nobody here. */
  async make({ collection, id }: Stranger): Promise<void> {
    const bodies = {
      consumers: { username: 'stranger' },
      consumer_groups: { name: 'stranger' },
      services: { name: 'stranger', host: 'stranger.test' },
      routes: { name: 'stranger', paths: ['/stranger'] },
    };
    await this.client.send('PUT', `${collection}/${id}`, { body: bodies[collection] });
  }

  /** Makes the Kong as the file wants it; what is wrong, if anything is. */
  async sync(file: StateFile, flags: Flags): Promise<string | undefined> {
    const prepared = await this.#prepare(file, flags);
    if (typeof prepared === 'string') return prepared;
    if (prepared.isWorkspaceMissing) await createWorkspace(this.client);
    const result = await applyPlan(this.client, prepared.plan);
    return result.failed[0]?.error.message;
  }

  /** Makes what the file names as it wants it, and leaves the rest; what is wrong, if anything is. */
  apply(file: StateFile, flags: Flags): Promise<string | undefined> {
    return this.sync(file, { ...flags, isPartial: true });
  }

  /** What a sync of the file would do. */
  async diff(file: StateFile, flags: Flags): Promise<readonly Operation[] | string> {
    const prepared = await this.#prepare(file, flags);
    return typeof prepared === 'string' ? prepared : prepared.plan.operations;
  }

  /** What is printed of operations. */
  report(operations: readonly Operation[], { texts }: Flags): string {
    const isShown = texts.includes('--no-mask-deck-env-vars-value');
    const options = { secretValues: isShown ? [] : this.#secrets };
    if (texts.includes('--json-output')) {
      return JSON.stringify(reportJson({ operations, errors: [], dropped: [] }, options));
    }
    const lines = operations.map((one) => operationText(one, options));
    return [...lines, summaryText(countOperations(operations))].join('\n');
  }

  async reset(flags: Flags): Promise<string | undefined> {
    const current = await this.#read(flags);
    const result = await applyPlan(this.client, createPlan(current, new KongEntities()));
    return result.failed[0]?.error.message;
  }

  async dump(flags: Flags): Promise<JsonObject> {
    const state = await this.#read(flags);
    const isShort = flags.texts.includes('--skip-defaults');
    const { version } = await this.client.info();
    const schemas = isShort ? await readServerSchemas(this.client, version, state, state) : {};
    const config = dumpConfig(isShort ? withoutDefaults(state, schemas) : state, {
      formatVersion: '3.0',
      withIds: flags.texts.includes('--with-id'),
      selectTags: valuesOf(flags, '--select-tag'),
    });
    const isSanitized = flags.texts.includes('--sanitize');
    return (isSanitized ? sanitizeConfig(config, 'salt') : config) as JsonObject;
  }

  /** What the Kong has, or of it what flags choose. */
  state(flags: Flags = { texts: [], environment: {} }): Promise<KongEntities> {
    return this.#read(flags);
  }

  async #prepare(file: StateFile, flags: Flags): Promise<PreparedSync | string> {
    const { config, problem, secrets } = configOf(file, flags);
    if (problem !== undefined) return problem;
    this.#secrets = secrets;
    this.#workspace = config._workspace;
    const { version } = await this.client.info();
    const format = findFormatProblem(config, version);
    if (format !== undefined) return format;
    const found = findDiagnostics(config, version, { errors: diagnosticsOf(flags) });
    const error = found.find(({ severity }) => severity === 'error');
    if (error !== undefined) return error.message;
    const prepared = await prepareSync(this.client, config, { ...optionsOf(flags), version });
    return prepared.problems[0]?.message ?? prepared;
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

/** The codes that are to be errors. */
function diagnosticsOf(flags: Flags): readonly DiagnosticCode[] {
  return valuesOf(flags, '-E').flatMap((codes) => parseDiagnosticCodes(codes).codes);
}

function optionsOf(flags: Flags): PrepareOptions {
  return {
    selectTags: valuesOf(flags, '--select-tag'),
    skipsConsumers: flags.texts.includes('--skip-consumers'),
    skipsCaCertificates: flags.texts.includes('--skip-ca-certificates'),
    skipsMemberships: flags.texts.includes('--skip-consumers-with-consumer-groups'),
    isPartial: flags.isPartial === true,
  };
}

function configOf(
  { json, text }: StateFile,
  { environment }: Flags,
): {
  readonly config: DeclarativeConfig;
  readonly secrets: readonly string[];
  readonly problem?: string;
} {
  const parsed = parseContent(text ?? JSON.stringify(json ?? {}), { environment });
  const { config, problems } = mergeContents([parsed.content]);
  const problem = [...parsed.problems, ...problems][0];
  return { config, secrets: parsed.secrets, ...(problem === undefined ? {} : { problem }) };
}
