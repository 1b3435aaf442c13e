import { passwordHashProblem } from '@waygate/kong';
import { oncePer } from '@waygate/text';
import { configSchema, problemsOf } from '../../plugin/config-schema.ts';
import { definePlugin } from '../../plugin/plugin.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import { admit, isSatisfied, keepOut, type Satisfy, satisfyField } from '../../plugin/satisfy.ts';
import {
  answerDigest,
  checkDigest,
  type DigestOutcome,
  type DigestQuestion,
  digestProblem,
} from './digest-check.ts';
import { DigestNonces } from './digest-nonces.ts';
import { VerdictCache } from './verdict-cache.ts';

interface Config {
  readonly type: 'basic' | 'digest';
  readonly realm: string;
  /** Lines of an htpasswd file: `name:hash`, or of an htdigest file: `name:realm:hash`. */
  readonly users: readonly string[];
  readonly hide_credentials: boolean;
  readonly satisfy: Satisfy;
}

/** Nobody has this: a name that is not known takes as long as one that is. */
const nobody = `$apr1$waygate.$${'.'.repeat(22)}`;

const pluginName = 'htpasswd-auth';

/** Lets in who has a name and password of an htpasswd file, or of an htdigest file. */
export function htpasswdAuth() {
  const verdicts = new VerdictCache();
  const nonces = new DigestNonces();
  return definePlugin<Config>({
    name: pluginName,
    isUnlisted: true,
    priority: 2_940,
    schema: configSchema({
      type: { type: 'string', required: true, default: 'basic', one_of: ['basic', 'digest'] },
      realm: { type: 'string', required: true, default: '', len_min: 0 },
      users: {
        type: 'array',
        required: true,
        default: [],
        encrypted: true,
        elements: { type: 'string' },
      },
      hide_credentials: { type: 'boolean', required: true, default: true },
      satisfy: satisfyField,
    }),
    check: ({ users, realm, type }) =>
      problemsOf({
        users: userProblems(users, type === 'digest' ? digestProblem : passwordProblem),
        // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
        realm: /["\\\x00-\x1f\x7f]/.test(realm)
          ? 'quotes and control characters are not allowed'
          : undefined,
      }),
    access(context, config) {
      if (isSatisfied(context, config.satisfy)) return undefined;
      const given = credentialsOf(context);
      if (config.hide_credentials) context.upstream?.headers.remove('authorization');
      if (config.type === 'digest') {
        const ask = (question: DigestQuestion) => context.runtime.ask(pluginName, question);
        return checkDigest(context, config.realm, config.users, ask).then((outcome) =>
          decideDigest(context, config, outcome),
        );
      }
      if (given === undefined) {
        refuse(context, config);
        return undefined;
      }
      const hash = hashesOf(config.users).get(given.name);
      const verdict = verdicts.check(given.password, hash ?? nobody);
      if (verdict instanceof Promise) {
        return verdict.then((isRight) =>
          decide(context, config, given.name, isRight && hash !== undefined),
        );
      }
      if (verdict === undefined) {
        context.fail(503, 'too many passwords are being checked');
        return undefined;
      }
      decide(context, config, given.name, verdict && hash !== undefined);
      return undefined;
    },
    serve: (question) => answerDigest(nonces, question as DigestQuestion),
  });
}

function decideDigest(context: RequestContext, config: Config, outcome: DigestOutcome): void {
  if (outcome.kind === 'user') {
    decide(context, config, outcome.name, true);
    return;
  }
  const { challenge } = outcome;
  const headers: Record<string, string> =
    challenge === undefined ? {} : { 'WWW-Authenticate': challenge };
  keepOut(context, config.satisfy, () => context.fail(401, 'Unauthorized', headers));
}

function decide(context: RequestContext, config: Config, name: string, isRight: boolean): void {
  if (isRight) {
    context.credential ??= { id: name, identifier: name };
    admit(context, config.satisfy);
  } else {
    refuse(context, config);
  }
}

function refuse(context: RequestContext, { realm, satisfy }: Config): void {
  keepOut(context, satisfy, () =>
    context.fail(401, 'Unauthorized', { 'WWW-Authenticate': `Basic realm="${realm}"` }),
  );
}

function credentialsOf({ headers }: RequestContext) {
  const encoded = /^basic +([A-Za-z0-9+/=_-]+) *$/i.exec(headers.get('authorization') ?? '')?.[1];
  const bytes = Buffer.from(encoded ?? '', 'base64');
  const colon = bytes.indexOf(':');
  return colon < 1
    ? undefined
    : { name: bytes.toString('utf8', 0, colon), password: bytes.subarray(colon + 1) };
}

/** Of two lines for one name the first counts. What follows a second colon is a remark. */
const hashesOf = oncePer((users: readonly string[]): ReadonlyMap<string, string> => {
  const hashes = new Map<string, string>();
  for (const line of users) {
    const [name = '', hash = ''] = line.split(':');
    if (!hashes.has(name)) hashes.set(name, hash.trim());
  }
  return hashes;
});

/** Names the place, never the line: it is a secret. */
function userProblems(
  users: readonly string[],
  check: (line: string) => string | undefined,
): (string | null)[] | undefined {
  const problems = users.map((line) => check(line) ?? null);
  return problems.some((problem) => problem !== null) ? problems : undefined;
}

function passwordProblem(line: string): string | undefined {
  const [name = '', hash] = line.split(':');
  return name === '' || hash === undefined
    ? 'must have the form name:hash'
    : passwordHashProblem(hash.trim());
}
