import { type Ask, json, merge, metaV1, table } from './kubernetes-ask.ts';
import { deletions, subresources } from './kubernetes-part-asks.ts';
import { patches } from './kubernetes-patch-asks.ts';
import { randomNumbers, type TriedRequest } from './kubernetes-requests.ts';
import { writeOptions } from './kubernetes-write-asks.ts';
import type { SoundObject } from './sound-object.ts';

/**
 * What clients ask of an object and its collection besides writing it: reads in all forms, options of each verb, wrong
 * ones too, subresources, deletions. None leaves anything behind. A seed decides which, where fewer are wanted.
 */
export function askedRequests(
  sound: readonly SoundObject[],
  seed: number,
  count: number,
): TriedRequest[] {
  const next = randomNumbers(seed);
  return allRequests(sound)
    .map((request) => ({ request, place: next() }))
    .sort((a, b) => a.place - b.place)
    .slice(0, count)
    .map(({ request }) => request);
}

function allRequests(sound: readonly SoundObject[]): TriedRequest[] {
  return sound.flatMap(({ collection, object }) => {
    const { name } = object.metadata as { name: string };
    const one = `${collection}/${name}`;
    const asks = [
      ...reads(one, collection, name),
      ...listOptions(collection),
      ...writeOptions(one, collection, object, name),
      ...patches(one, object),
      ...subresources(one, object),
      ...deletions(one, collection),
    ];
    return asks.map(([words, method, path, body = null, headers = json]) => ({
      name: `${words} ${String(object.kind)}`,
      method,
      path,
      headers,
      ...(body === null ? {} : { body }),
    })) as TriedRequest[];
  });
}

function reads(one: string, collection: string, name: string): Ask[] {
  const mine = `${collection}?fieldSelector=metadata.name%3D${name}&labelSelector=app%3Da`;
  const accepts: [string, string][] = [
    ['table', table],
    ['partial', `application/json;as=PartialObjectMetadata;${metaV1}`],
    ['partial list', `application/json;as=PartialObjectMetadataList;${metaV1}`],
    ['table v1beta1', 'application/json;as=Table;v=v1beta1;g=meta.k8s.io'],
    ['table or json', `${table},application/json`],
    ['other kind', 'application/json;as=Other;v=v1;g=meta.k8s.io'],
    ['xml', 'application/xml'],
    ['yaml', 'application/yaml'],
    ['any', '*/*'],
  ];
  return [
    ...accepts.flatMap(([words, Accept]): Ask[] => [
      [`get as ${words}`, 'GET', one, null, { Accept }],
      [`list as ${words}`, 'GET', mine, null, { Accept }],
    ]),
    ...['None', 'Object', 'Metadata', 'Wrong'].map(
      (include): Ask => [
        `table with ${include}`,
        'GET',
        `${mine}&includeObject=${include}`,
        null,
        { Accept: table },
      ],
    ),
    ['get absent', 'GET', `${collection}/absent`],
    ['get of newer', 'GET', `${one}?resourceVersion=99999999999`],
    ['get of a word', 'GET', `${one}?resourceVersion=word`],
    ['get pretty', 'GET', `${one}?pretty=true`],
    ['get a part that is none', 'GET', `${one}/nothing`],
    ['head', 'HEAD', one],
    ['options', 'OPTIONS', one],
    ['post to one', 'POST', one, {}],
    ['put to all', 'PUT', collection, {}],
    ['patch all', 'PATCH', collection, {}, merge],
  ];
}

function listOptions(collection: string): Ask[] {
  const queries = [
    'labelSelector=app+in+(a,b)',
    'labelSelector=app+notin+(b),app',
    'labelSelector=app%3Da,app!%3Db',
    'labelSelector=app+in+()',
    'labelSelector=app%3D%3Da%3D',
    'labelSelector=-bad',
    'labelSelector=app%3Dbad_value!',
    'labelSelector=a%2Fb%2Fc',
    'labelSelector=app>1,app%3Da',
    'labelSelector=app>word',
    'fieldSelector=metadata.name!%3Da&labelSelector=app%3Dnone',
    'fieldSelector=spec.unknown%3Da',
    'fieldSelector=status.phase%3DPending&labelSelector=app%3Dnone',
    'fieldSelector=type%3DOpaque&labelSelector=app%3Dnone',
    'fieldSelector=spec.nodeName%3D&labelSelector=app%3Dnone',
    'fieldSelector=nonsense',
    'fieldSelector=metadata.namespace%3Ddefault',
    'fieldSelector=metadata.labels%3Da',
    'limit=word',
    'limit=-1&labelSelector=app%3Dnone',
    'continue=word',
    'continue=e30',
    'limit=1&resourceVersion=0&labelSelector=app%3Dnone',
    'resourceVersionMatch=Exact',
    'resourceVersion=0&resourceVersionMatch=Exact',
    'resourceVersion=0&resourceVersionMatch=NotOlderThan&labelSelector=app%3Dnone',
    'resourceVersion=5&resourceVersionMatch=Wrong',
    'resourceVersion=word',
    'resourceVersion=-1',
    'resourceVersion=99999999999&resourceVersionMatch=Exact',
    'continue=e30&resourceVersionMatch=NotOlderThan',
    'sendInitialEvents=true',
    'watch=true&timeoutSeconds=1&sendInitialEvents=true',
    'watch=true&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=Exact',
    'watch=true&timeoutSeconds=1&resourceVersionMatch=NotOlderThan',
    'watch=true&timeoutSeconds=1&resourceVersion=word',
    'watch=word&timeoutSeconds=1&labelSelector=app%3Dnone',
    'watch=true&timeoutSeconds=1&fieldSelector=spec.unknown%3Da',
    'watch=true&timeoutSeconds=1&labelSelector=-bad',
    'timeoutSeconds=word&labelSelector=app%3Dnone',
    'allowWatchBookmarks=maybe&labelSelector=app%3Dnone',
    'nothing=1&labelSelector=app%3Dnone',
  ];
  return queries.map((query) => [`list ${query}`, 'GET', `${collection}?${query}`]);
}
