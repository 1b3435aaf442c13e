import { afterAll, beforeAll } from 'vitest';
import {
  type AccessRule,
  type AccessWorld,
  type Actor,
  startAccessWorld,
  type Verdict,
} from '../src/testing/access-world.ts';

export const group = 'rbac.authorization.k8s.io';
export const base = `/apis/${group}/v1`;
export const secrets = { apiGroups: [''], resources: ['secrets'], verbs: ['get'] };
export const configMaps = { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] };
/** All that one can do with roles and bindings, without the right to give more than one has. */
export const manager: AccessRule = {
  apiGroups: [group],
  resources: ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'],
  verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'],
};
export const escalate = { ...manager, verbs: ['escalate'] };
export const bind = { ...manager, verbs: ['bind'] };
export const everything = [
  { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
  { nonResourceURLs: ['*'], verbs: ['*'] },
];

export let world: AccessWorld;
export let namespace: string;
/** A ClusterRole that reads Secrets, and a Role that does. */
export let reader: string;

/** To be called once in a file: the world that its tests ask, from the first to the last of them. */
export function useRoleWorld(): void {
  beforeAll(async () => {
    world = await startAccessWorld();
    namespace = await world.namespace();
    reader = world.fresh('reader');
    const metadata = { name: reader };
    await world.admin.ask('POST', `${base}/clusterroles`, { metadata, rules: [secrets] });
    await world.admin.ask('POST', `${base}/namespaces/${namespace}/roles`, {
      metadata,
      rules: [secrets],
    });
  });
  afterAll(() => world.stop());
}

type Plural = 'roles' | 'clusterroles' | 'rolebindings' | 'clusterrolebindings';
const kinds: Readonly<Record<Plural, string>> = {
  roles: 'Role',
  clusterroles: 'ClusterRole',
  rolebindings: 'RoleBinding',
  clusterrolebindings: 'ClusterRoleBinding',
};
export const plurals = Object.keys(kinds) as Plural[];
export const isRole = (plural: Plural) => plural.endsWith('roles');

export function collection(plural: Plural): string {
  return plural.startsWith('cluster')
    ? `${base}/${plural}`
    : `${base}/namespaces/${namespace}/${plural}`;
}

/** An object that gives the right to read Secrets to `to`. */
export function giver(plural: Plural, name: string, to: string): Record<string, unknown> {
  const shared = { apiVersion: `${group}/v1`, kind: kinds[plural], metadata: { name } };
  if (isRole(plural)) return { ...shared, rules: [secrets] };
  const kind = plural === 'rolebindings' ? 'Role' : 'ClusterRole';
  return {
    ...shared,
    roleRef: { apiGroup: group, kind, name: reader },
    subjects: [{ apiGroup: group, kind: 'User', name: to }],
  };
}

/** The same object before anybody tampered with it: a role that gives nothing, a binding to nobody. */
export function harmless(plural: Plural, name: string): Record<string, unknown> {
  const object = giver(plural, name, '');
  return isRole(plural) ? { ...object, rules: [] } : { ...object, subjects: [] };
}

export function part(object: Record<string, unknown>): Record<string, unknown> {
  return 'rules' in object ? { rules: object.rules } : { subjects: object.subjects };
}

/** Every way to write an object: on one that is there, or on none. */
export const paths: Readonly<
  Record<
    string,
    {
      readonly isNew: boolean;
      send(
        who: Actor,
        place: string,
        object: Record<string, unknown>,
        name: string,
      ): Promise<Verdict>;
    }
  >
> = {
  create: { isNew: true, send: (who, place, object) => who.ask('POST', place, object) },
  'create, dry run': {
    isNew: true,
    send: (who, place, object) => who.ask('POST', `${place}?dryRun=All`, object),
  },
  'update of none': {
    isNew: true,
    send: (who, place, object, name) => who.ask('PUT', `${place}/${name}`, object),
  },
  'apply of none': {
    isNew: true,
    send: (who, place, object, name) => patch(who, `${place}/${name}`, 'apply-patch+yaml', object),
  },
  update: {
    isNew: false,
    send: (who, place, object, name) => who.ask('PUT', `${place}/${name}`, object),
  },
  'merge patch': {
    isNew: false,
    send: (who, place, object, name) =>
      patch(who, `${place}/${name}`, 'merge-patch+json', part(object)),
  },
  'strategic merge patch': {
    isNew: false,
    send: (who, place, object, name) =>
      patch(who, `${place}/${name}`, 'strategic-merge-patch+json', part(object)),
  },
  'JSON patch': {
    isNew: false,
    send: (who, place, object, name) => {
      const [[key, value]] = Object.entries(part(object)) as [[string, unknown]];
      const operations = [{ op: 'add', path: `/${key}`, value }];
      return patch(who, `${place}/${name}`, 'json-patch+json', operations);
    },
  },
  apply: {
    isNew: false,
    send: (who, place, object, name) => patch(who, `${place}/${name}`, 'apply-patch+yaml', object),
  },
};

export function patch(who: Actor, path: string, type: string, body: unknown): Promise<Verdict> {
  const query = type.startsWith('apply') ? '?fieldManager=test&force=true' : '';
  return who.ask('PATCH', `${path}${query}`, body, { 'Content-Type': `application/${type}` });
}

export function refusalText(user: string, rights: string): string {
  return `user "${user}" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n${rights}`;
}
