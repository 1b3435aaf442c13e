import { startTestServer } from './test-server.ts';

/** A rule of a role, as it stands in a manifest. */
export interface AccessRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** What came back: the code, and the message when it is a refusal. */
export interface Verdict {
  readonly code: number;
  readonly message: string;
  readonly body: Record<string, unknown>;
}

/** Somebody who sends requests. */
export interface Actor {
  readonly name: string;
  ask(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Verdict>;
}

/** A server with people who have exactly the rights that a test gives them. */
export interface AccessWorld extends AsyncDisposable {
  readonly admin: Actor;
  /** Sends with a token, or with none. */
  holder(token: string | undefined, name?: string): Actor;
  /** A user with a name of their own who may do what the rules say, in a namespace or everywhere. */
  user(
    rules?: readonly AccessRule[],
    namespace?: string,
    groups?: readonly string[],
  ): Promise<Actor>;
  namespace(): Promise<string>;
  /** A name that nothing else has. */
  fresh(prefix: string): string;
  stop(): Promise<void>;
}

const rbac = '/apis/rbac.authorization.k8s.io/v1';

/** A real server learns of roles by a watch of its own. */
async function seen(who: Actor, rule: AccessRule | undefined, namespace: string): Promise<void> {
  const wanted = JSON.stringify(rule?.nonResourceURLs ?? rule?.resources);
  for (let attempt = 0; attempt < 1000; attempt++) {
    const review = { spec: { namespace: namespace === '' ? 'default' : namespace } };
    const { body } = await who.ask(
      'POST',
      '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
      review,
    );
    if (JSON.stringify(body).includes(wanted)) return;
  }
  throw new Error(`the rules of ${who.name} did not arrive`);
}

/**
 * Starts a world on a server of its own, or in that of `WAYGATE_REAL_API` (an address) with the
 * administrator's token in `WAYGATE_REAL_API_TOKEN`: so that a real kube-apiserver judges the tables.
 */
export async function startAccessWorld(): Promise<AccessWorld> {
  const real = process.env.WAYGATE_REAL_API;
  const server = real === undefined ? await startTestServer() : undefined;
  const url = real ?? (server?.url as string);
  const adminToken = server?.adminToken ?? process.env.WAYGATE_REAL_API_TOKEN ?? '';
  const run = Math.random().toString(36).slice(2, 8);
  let count = 0;
  const fresh = (prefix: string) => `${prefix}-${run}-${++count}`;
  const actor = (name: string, identity: readonly (readonly [string, string])[]): Actor => ({
    name,
    async ask(method, path, body, headers = {}) {
      const all = new Headers({ 'Content-Type': 'application/json', ...headers });
      for (const [key, value] of identity) all.append(key, value);
      const response = await fetch(`${url}${path}`, {
        method,
        headers: all,
        ...(body === undefined
          ? {}
          : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json') ?? false;
      const parsed = (isJson && text !== '' ? JSON.parse(text) : { message: text }) as {
        message?: string;
      };
      const message = response.ok ? '' : (parsed.message ?? '');
      return { code: response.status, message, body: parsed as Record<string, unknown> };
    },
  });
  const holder = (token: string | undefined, name = 'somebody') =>
    actor(name, token === undefined ? [] : [['Authorization', `Bearer ${token}`]]);
  const admin = holder(adminToken, 'admin');
  const must = async (path: string, body: unknown) => {
    const { code, message } = await admin.ask('POST', path, body);
    if (code !== 201) throw new Error(`${path}: ${code} ${message}`);
  };
  return {
    admin,
    holder,
    fresh,
    async user(rules = [], namespace = '', groups = []) {
      const name = fresh('user');
      const place = namespace === '' ? rbac : `${rbac}/namespaces/${namespace}`;
      const prefix = namespace === '' ? 'Cluster' : '';
      const apiGroup = 'rbac.authorization.k8s.io';
      if (rules.length > 0) {
        const metadata = { name };
        const roles = `${place}/${prefix.toLowerCase()}roles`;
        await must(roles, { metadata, rules });
        await must(`${place}/${prefix.toLowerCase()}rolebindings`, {
          metadata,
          roleRef: { apiGroup, kind: `${prefix}Role`, name },
          subjects: [{ apiGroup, kind: 'User', name }],
        });
      }
      const user = actor(name, [
        ['Authorization', `Bearer ${adminToken}`],
        ['Impersonate-User', name],
        ...groups.map((group) => ['Impersonate-Group', group] as const),
      ]);
      if (real !== undefined && rules.length > 0) await seen(user, rules[0], namespace);
      return user;
    },
    async namespace() {
      const name = fresh('ns');
      await must('/api/v1/namespaces', { metadata: { name } });
      return name;
    },
    stop: async () => server?.stop(),
    [Symbol.asyncDispose]: async () => server?.stop(),
  };
}
