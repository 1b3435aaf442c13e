import { createHash } from 'node:crypto';
import {
  type ConnectionConfig,
  type Impersonation,
  isUnauthorized,
  KubeClient,
  staticToken,
} from '@waygate/kube';
import type { Person, PersonProof } from '../access/person.ts';

/** Connections of people who sign in by every request are kept for those who came last. */
const mostPeople = 200;

/**
 * Makes people of what proves who they are, each with a client that asks the API as them.
 *
 * ```ts
 * const people = new People(client.config);
 * const ann = people.impersonated({ user: 'ann', groups: ['shop'] });
 * ann.name; // 'ann': what she asks for, the API is asked in her name
 * people.close();
 * ```
 */
export class People {
  /** How the dashboard itself reaches the API. */
  readonly #config: ConnectionConfig;
  /** By key; whoever came last stands last. */
  readonly #known = new Map<string, Person>();

  constructor(config: ConnectionConfig) {
    this.#config = config;
  }

  /**
   * Whoever owns a token of the API; undefined when nobody does. The API itself is asked: a token of
   * another audience, or one that has ended, is nobody's. Who comes with every request shares a client
   * with their last one; who signs in once has one of their own, and ends it.
   */
  async ofToken(token: string, isVisitor: boolean): Promise<Person | undefined> {
    if (!/^[\w\-.~+/]+=*$/.test(token)) return undefined;
    const key = `token:${createHash('sha256').update(token).digest('hex')}`;
    const known = isVisitor ? this.#known.get(key) : undefined;
    const client = known?.client ?? this.#clientOf(token);
    const name = await ownName(client).catch((error: unknown) => {
      if (known === undefined) void client.close();
      throw error;
    });
    if (known !== undefined && name === known.name) return known;
    if (name === undefined) {
      this.#known.delete(key);
      void client.close();
      return undefined;
    }
    const person = { name, key, client, proof: { token } };
    if (!isVisitor) return { ...person, end: () => void client.close() };
    this.#keep(person);
    return person;
  }

  /** Somebody by what another replica knew them by; undefined when it counts no more. */
  async ofProof(proof: PersonProof): Promise<Person | undefined> {
    return 'token' in proof ? this.ofToken(proof.token, false) : this.impersonated(proof);
  }

  #clientOf(token: string): KubeClient {
    const { caData, caFile, serverName, insecureSkipTlsVerify } = this.#config.tls ?? {};
    return new KubeClient({
      ...this.#config,
      // Nothing of the dashboard's own: a certificate of its would count more than the token.
      tls: { caData, caFile, serverName, insecureSkipTlsVerify },
      credentials: staticToken(token),
      impersonation: undefined,
    });
  }

  /** Somebody whom another program knows; the dashboard asks the API in their name. */
  impersonated(who: Impersonation): Person {
    const key = `as:${JSON.stringify([who.user, [...(who.groups ?? [])].sort()])}`;
    const known = this.#known.get(key);
    if (known !== undefined) {
      this.#known.delete(key);
      this.#known.set(key, known);
      return known;
    }
    const client = new KubeClient({ ...this.#config, impersonation: who });
    const proof = { user: who.user, groups: who.groups ?? [] };
    // Several sessions of one person share a client: none of them ends it.
    const person = { name: who.user, key, client, proof };
    this.#keep(person);
    return person;
  }

  #keep(person: Person): void {
    for (const [key, oldest] of this.#known) {
      if (this.#known.size < mostPeople) break;
      this.#known.delete(key);
      void oldest.client.close();
    }
    this.#known.set(person.key, person);
  }

  close(): void {
    for (const { client } of this.#known.values()) void client.close();
    this.#known.clear();
  }
}

/** Who the API says that the client is; undefined when it does not know. */
async function ownName(client: KubeClient): Promise<string | undefined> {
  const group = 'authentication.k8s.io';
  try {
    const { status } = await client.json<{ status?: { userInfo?: { username?: string } } }>({
      method: 'POST',
      path: `/apis/${group}/v1/selfsubjectreviews`,
      body: { apiVersion: `${group}/v1`, kind: 'SelfSubjectReview' },
    });
    const name = status?.userInfo?.username;
    return name === undefined || name === 'system:anonymous' ? undefined : name;
  } catch (error) {
    if (isUnauthorized(error)) return undefined;
    throw error;
  }
}
