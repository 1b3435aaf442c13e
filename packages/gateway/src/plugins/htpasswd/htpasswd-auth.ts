import { configSchema, problemsOf } from '../../plugin/config-schema.ts';
import { definePlugin } from '../../plugin/plugin.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import { admit, isSatisfied, keepOut, type Satisfy, satisfyField } from '../../plugin/satisfy.ts';
import { hashProblem } from './password-hash.ts';
import { VerdictCache } from './verdict-cache.ts';

interface Config {
  readonly type: 'basic';
  readonly realm: string;
  /** Lines of an htpasswd file: `name:hash`. */
  readonly users: readonly string[];
  readonly hide_credentials: boolean;
  readonly satisfy: Satisfy;
}

/** Nobody has this: a name that is not known takes as long as one that is. */
const nobody = `$apr1$waygate.$${'.'.repeat(22)}`;

/** Lets in who has a name and password of an htpasswd file. */
export function htpasswdAuth() {
  const verdicts = new VerdictCache();
  return definePlugin<Config>({
    name: 'htpasswd-auth',
    isUnlisted: true,
    priority: 2_940,
    schema: configSchema({
      type: { type: 'string', required: true, default: 'basic', one_of: ['basic'] },
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
    check: ({ users, realm }) =>
      problemsOf({
        users: userProblems(users),
        // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
        realm: /["\\\x00-\x1f\x7f]/.test(realm)
          ? 'quotes and control characters are not allowed'
          : undefined,
      }),
    access(context, config) {
      if (isSatisfied(context, config.satisfy)) {
        return undefined;
      }
      const given = credentialsOf(context);
      if (config.hide_credentials) {
        context.upstream?.headers.remove('authorization');
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
  });
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

const known = new WeakMap<readonly string[], ReadonlyMap<string, string>>();

/** Of two lines for one name the first counts. What follows a second colon is a remark. */
function hashesOf(users: readonly string[]): ReadonlyMap<string, string> {
  let hashes = known.get(users);
  if (hashes === undefined) {
    const found = new Map<string, string>();
    for (const line of users) {
      const [name = '', hash = ''] = line.split(':');
      if (!found.has(name)) found.set(name, hash.trim());
    }
    hashes = found;
    known.set(users, hashes);
  }
  return hashes;
}

/** Names the place, never the line: it is a secret. */
function userProblems(users: readonly string[]): (string | null)[] | undefined {
  const problems = users.map((line) => {
    const [name = '', hash] = line.split(':');
    return name === '' || hash === undefined
      ? 'must have the form name:hash'
      : (hashProblem(hash.trim()) ?? null);
  });
  return problems.some((problem) => problem !== null) ? problems : undefined;
}
