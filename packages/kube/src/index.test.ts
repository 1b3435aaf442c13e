import {
  type ConfigMap,
  type DynamicObject,
  defineKind,
  type KubeObject,
  kinds,
  type Pod,
  type Scale,
  type Status,
} from '@waygate/schema';
import { describe, expectTypeOf, it } from 'vitest';
import {
  type ApiResource,
  type ConnectionConfig,
  type CredentialSource,
  decodeWatch,
  type KubeClient,
  type ListPage,
  loadConfig,
  type PartialObjectMetadata,
  type Resource,
  type WatchEvent,
  type WatchStream,
} from './index.ts';

interface Widget extends KubeObject {
  spec: { size: number };
}

const widgets = defineKind<Widget>({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
});

declare const client: KubeClient;

describe('the types that users see', () => {
  it('follow the kind', () => {
    const pods = () => client.resource(kinds.Pod);
    expectTypeOf(pods).returns.toEqualTypeOf<Resource<Pod>>();
    expectTypeOf<Resource<Pod>['get']>().returns.resolves.toEqualTypeOf<Pod>();
    expectTypeOf<Resource<Pod>['list']>().returns.resolves.toEqualTypeOf<ListPage<Pod>>();
    expectTypeOf<Resource<Pod>['delete']>().returns.resolves.toEqualTypeOf<Pod | Status>();
    expectTypeOf<Resource<Widget>['watch']>().returns.resolves.toEqualTypeOf<
      WatchStream<WatchEvent<Widget>>
    >();
    expectTypeOf<Resource<Widget>['create']>().parameter(0).toEqualTypeOf<Widget>();
    expectTypeOf<Resource<Pod>['metadata']>().returns.toEqualTypeOf<
      Resource<PartialObjectMetadata>
    >();
    expectTypeOf<Resource<Pod>['scale']['get']>().returns.resolves.toEqualTypeOf<Scale>();
    const own = () => client.resource(widgets);
    expectTypeOf(own).returns.toEqualTypeOf<Resource<Widget>>();
  });

  it('are open where the kind is known only at run time', () => {
    expectTypeOf<KubeClient['resourceOf']>().returns.resolves.toEqualTypeOf<
      Resource<DynamicObject>
    >();
    const discovered = (resource: ApiResource) => client.resource(resource);
    expectTypeOf(discovered).returns.toEqualTypeOf<Resource<DynamicObject>>();
  });

  it('tell the object of a watch event by its type', () => {
    const nameOf = (event: WatchEvent<ConfigMap>) =>
      event.type === 'ERROR' ? event.object.reason : event.object.data;
    expectTypeOf(nameOf).returns.toEqualTypeOf<string | Record<string, string> | undefined>();
    expectTypeOf(decodeWatch<Pod>).returns.toExtend<AsyncIterable<WatchEvent<Pod>>>();
  });

  it('make the options readonly and the configuration one value', () => {
    expectTypeOf(loadConfig).returns.resolves.toEqualTypeOf<ConnectionConfig>();
    expectTypeOf<ConnectionConfig['credentials']>().toEqualTypeOf<CredentialSource | undefined>();
    expectTypeOf<ConstructorParameters<typeof KubeClient>[0]>().toEqualTypeOf<ConnectionConfig>();
  });
});
