import type { KubeObject } from '@waygate/schema';
import { describe, expect, test } from 'vitest';
import { gatewayApiPatches, liveObjects } from '../../controller/status-reports.ts';
import { ObjectStore } from '../../store/object-store.ts';
import { translate } from '../translate.ts';

const controllerName = 'konghq.com/kic-gateway-controller';
const apiVersion = 'gateway.networking.k8s.io/v1';

const listener = (name: string, port: number, hostname?: string, more: object = {}) => ({
  name,
  port,
  protocol: 'HTTP',
  ...(hostname === undefined ? {} : { hostname }),
  ...more,
});

function gateway(listeners: object[], from?: object): KubeObject {
  return {
    apiVersion,
    kind: 'Gateway',
    metadata: { name: 'edge', namespace: 'infra', generation: 1 },
    spec: {
      gatewayClassName: 'kong',
      listeners,
      ...(from && { allowedListeners: { namespaces: from } }),
    },
  } as KubeObject;
}

function set(name: string, listeners: object[], created = '2026-01-01T00:00:00Z'): KubeObject {
  return {
    apiVersion,
    kind: 'ListenerSet',
    metadata: { name, namespace: 'shop', generation: 1, creationTimestamp: created },
    spec: { parentRef: { name: 'edge', namespace: 'infra' }, listeners },
  } as KubeObject;
}

function route(parent: object, hostnames: string[] = []): KubeObject {
  return {
    apiVersion,
    kind: 'HTTPRoute',
    metadata: { name: 'web', namespace: 'shop', generation: 1 },
    spec: {
      parentRefs: [parent],
      hostnames,
      rules: [{ backendRefs: [{ name: 'web', port: 80 }] }],
    },
  } as KubeObject;
}

const around = [
  {
    apiVersion,
    kind: 'GatewayClass',
    metadata: { name: 'kong', generation: 1 },
    spec: { controllerName },
  },
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', labels: { team: 'shop' } } },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { ports: [{ port: 80 }] },
  },
] as KubeObject[];

const fromAll = { from: 'All' };

function expressions(objects: KubeObject[], address?: string): (string | undefined)[] {
  const { state } = translate([...around, ...objects], {
    routerFlavor: 'expressions',
    onlyAttachedRoutes: true,
    ...(address === undefined ? {} : { gatewayAddress: () => address }),
  });
  return state.services.flatMap(({ routes = [] }) => routes.map(({ expression }) => expression));
}

interface Status {
  conditions?: { type: string; status: string; reason: string }[];
  listeners?: { name: string; attachedRoutes: number; conditions: Status['conditions'] }[];
  attachedListenerSets?: number;
  parents?: Status[];
}

function statuses(objects: KubeObject[]) {
  const all = [...around, ...objects];
  const reader = new ObjectStore();
  for (const object of all) reader.put(object);
  const patches = gatewayApiPatches({
    concernsGateways: true,
    places: undefined,
    isExpressions: false,
    hasOwnPlugins: false,
    reader,
    controllerName,
    objects: all,
    live: liveObjects(all),
    problems: [],
    addresses: [],
    now: new Date('2026-01-02T03:04:05.678Z'),
  });
  const statusOf = (kind: string, name: string) =>
    patches.find(({ object }) => object.kind === kind && object.metadata.name === name)?.status as
      | Status
      | undefined;
  return {
    patches,
    statusOf,
    say: (of: { conditions?: Status['conditions'] } | undefined) =>
      (of?.conditions ?? []).map(({ type, status, reason }) => `${type} ${status} ${reason}`),
  };
}

describe('listeners of ListenerSets', () => {
  const parent = { kind: 'ListenerSet', name: 'shop' };
  const mine = set('shop', [listener('shop', 80, 'shop.example')]);

  test('take routes that name their set, and no others', () => {
    const edge = gateway([listener('own', 80, 'own.example')], fromAll);
    expect(expressions([edge, mine, route(parent)])).toEqual([
      expect.stringContaining('http.host == "shop.example"'),
    ]);
    expect(expressions([edge, mine, route({ ...parent, sectionName: 'own' })])).toEqual([]);
    const toGateway = { name: 'edge', namespace: 'infra', sectionName: 'shop' };
    expect(expressions([edge, mine, route(toGateway)])).toEqual([]);
  });

  test('let routes in from the namespace of the set', () => {
    const edge = gateway([], fromAll);
    const far = { ...route({ ...parent, namespace: 'shop' }) };
    far.metadata = { ...far.metadata, namespace: 'infra' };
    const { statusOf, say } = statuses([edge, mine, far]);
    expect(say(statusOf('HTTPRoute', 'web')?.parents?.[0])).toContain(
      'Accepted False NotAllowedByListeners',
    );
  });

  test.each([
    [undefined, false],
    [{ from: 'None' }, false],
    [{ from: 'Same' }, false],
    [{ from: 'Selector', selector: { matchLabels: { team: 'other' } } }, false],
    [{ from: 'Selector', selector: { matchLabels: { team: 'shop' } } }, true],
    [{ from: 'All' }, true],
  ])('are there as far as the Gateway allows: %j', (from, isThere) => {
    const edge = gateway([listener('own', 80, 'own.example')], from);
    expect(expressions([edge, mine, route(parent)])).toHaveLength(isThere ? 1 : 0);
    const { statusOf, say } = statuses([edge, mine, route(parent)]);
    expect(say(statusOf('ListenerSet', 'shop'))).toEqual(
      isThere
        ? ['Accepted True Accepted', 'Programmed True Programmed']
        : ['Accepted False NotAllowed', 'Programmed False NotAllowed'],
    );
    expect(statusOf('Gateway', 'edge')?.attachedListenerSets).toBe(isThere ? 1 : undefined);
    expect(statusOf('ListenerSet', 'shop')?.listeners?.[0]?.attachedRoutes).toBe(
      isThere ? 1 : undefined,
    );
  });

  test('never take what the Gateway or an older set has', () => {
    const edge = gateway([listener('own', 80, 'own.example')], fromAll);
    const older = set('older', [listener('a', 80, 'a.example')], '2026-01-01T00:00:01Z');
    const younger = set(
      'younger',
      [
        listener('own', 80, 'own.example'),
        listener('a', 80, 'a.example'),
        listener('free', 80, 'free.example'),
      ],
      '2026-01-01T00:00:02Z',
    );
    const { statusOf, say } = statuses([edge, younger, older]);
    expect(say(statusOf('Gateway', 'edge')?.listeners?.[0])).toContain('Accepted True Accepted');
    expect(statusOf('Gateway', 'edge')?.attachedListenerSets).toBe(2);
    expect(say(statusOf('ListenerSet', 'older'))).toContain('Accepted True Accepted');
    expect(say(statusOf('ListenerSet', 'younger'))).toEqual([
      'Accepted True ListenersNotValid',
      'Programmed True Programmed',
    ]);
    const lost = [
      'Accepted False HostnameConflict',
      'Conflicted True HostnameConflict',
      'Programmed False HostnameConflict',
      'ResolvedRefs True ResolvedRefs',
    ];
    const listeners = statusOf('ListenerSet', 'younger')?.listeners;
    expect(listeners?.slice(0, 2).map(say)).toEqual([lost, lost]);
    expect(say(listeners?.[2])).toContain('Programmed True Programmed');
    // A route for a listener that is not there is told so, and is not served in another one's name.
    const stranger = route({ kind: 'ListenerSet', name: 'younger', sectionName: 'a' });
    expect(expressions([edge, younger, older, stranger])).toEqual([]);
  });

  test.each([
    ['HTTPS', 80, 'a.example', 'ProtocolConflict'],
    ['TCP', 80, undefined, 'ProtocolConflict'],
    ['UDP', 80, undefined, undefined],
    ['HTTP', 80, 'own.example', 'HostnameConflict'],
    ['HTTP', 80, undefined, undefined],
    ['HTTP', 81, 'own.example', undefined],
    ['TLS', 443, 'a.example', undefined],
    ['TLS', 443, 'tls.example', 'HostnameConflict'],
    ['TCP', 9000, undefined, 'ProtocolConflict'],
  ])('beside what a Gateway has, %s on %i for %s is %s', (protocol, port, hostname, reason) => {
    const edge = gateway(
      [
        listener('own', 80, 'own.example'),
        listener('tls', 443, 'tls.example', { protocol: 'HTTPS' }),
        listener('tcp', 9000, undefined, { protocol: 'TCP' }),
      ],
      fromAll,
    );
    const { statusOf, say } = statuses([
      edge,
      set('shop', [listener('one', port, hostname, { protocol })]),
    ]);
    const said = say(statusOf('ListenerSet', 'shop')?.listeners?.[0]);
    expect(said).toContain(`Conflicted ${reason ? 'True' : 'False'} ${reason ?? 'NoConflicts'}`);
    expect(say(statusOf('Gateway', 'edge')?.listeners?.[0])).toContain(
      'Conflicted False NoConflicts',
    );
  });

  test('are told apart from the listeners of others at an address of the Gateway', () => {
    const edge = gateway([listener('any', 80)], fromAll);
    const wide = route({ name: 'edge', namespace: 'infra' });
    wide.metadata = { ...wide.metadata, namespace: 'infra' };
    const [expression] = expressions([edge, mine, wide], '127.64.0.1');
    expect(expression).toContain('!(http.host == "shop.example")');
    const other = set('shop', [listener('shop', 8080, 'shop.example')]);
    expect(expressions([edge, other, route(parent)], '127.64.0.1')[0]).toContain(
      'net.dst.port == 8080',
    );
  });

  test('nothing is written when nothing changed', () => {
    const edge = gateway([listener('own', 80, 'own.example')], fromAll);
    const first = statuses([edge, mine, route(parent)]);
    const after = [edge, mine, route(parent), around[0]!].map((object) => {
      const patch = first.patches.find(
        ({ object: one }) => one.kind === object.kind && one.metadata.name === object.metadata.name,
      );
      return { ...object, ...(patch && { status: patch.status }) } as KubeObject;
    });
    expect(statuses(after).patches).toEqual([]);
  });
});

describe('a listener with filters, which nobody here can do', () => {
  const filters = { requests: [{ type: 'ExternalAuth', externalAuth: {} }] };
  const parent = { name: 'edge', namespace: 'infra' };
  const all = { allowedRoutes: { namespaces: { from: 'All' } } };
  const guarded = (more: object[] = []) =>
    gateway([listener('guarded', 80, 'shop.example', { ...all, filters }), ...more]);

  test('serves nothing and says so, rather than without them', () => {
    const objects = [guarded(), route(parent, ['shop.example'])];
    expect(expressions(objects)).toEqual([]);
    expect(expressions(objects, '127.64.0.1')).toEqual([]);
    const { statusOf, say } = statuses(objects);
    const [told] = statusOf('Gateway', 'edge')?.listeners ?? [];
    expect(told?.attachedRoutes).toBe(0);
    expect(say(told)).toEqual(
      expect.arrayContaining(['Accepted False UnsupportedValue', 'Programmed False Invalid']),
    );
    expect(say(statusOf('HTTPRoute', 'web')?.parents?.[0])).toContain(
      'Accepted False NoMatchingParent',
    );
  });

  test('leaves its neighbour alone, and empty filters are none', () => {
    const open = listener('open', 80, 'open.example', { ...all, filters: { requests: [] } });
    const objects = [guarded([open]), route(parent, ['open.example', 'shop.example'])];
    expect(expressions(objects, '127.64.0.1').join('\n')).toContain('open.example');
    const { statusOf, say } = statuses(objects);
    const listeners = statusOf('Gateway', 'edge')?.listeners ?? [];
    expect(listeners.map(({ attachedRoutes }) => attachedRoutes)).toEqual([0, 1]);
    expect(say(listeners[1])).toContain('Accepted True Accepted');
  });
});
