import { type NginxOptions, ObjectStore, validateObject } from '@waygate/ingress';
import type { KubeObject } from '@waygate/schema';

/** What the recorded webhook said when an Ingress was created. */
export interface RecordedVerdict {
  readonly ingress: string;
  readonly allowed: boolean;
}

/** Where our webhook says otherwise than the recorded one, Ingress by Ingress as they came. */
export async function admissionDifferences(
  objects: readonly KubeObject[],
  recorded: readonly RecordedVerdict[],
  nginx: NginxOptions,
): Promise<string[]> {
  const reader = new ObjectStore();
  for (const object of objects) if (object.kind !== 'Ingress') reader.put(object);
  const wanted = [...recorded];
  const found: string[] = [];
  const ingresses = objects.filter(({ kind }) => kind === 'Ingress').sort(byCreation);
  // Whether one of the same second was known by then is chance.
  const isTwin = ({ metadata }: KubeObject) =>
    metadata.creationTimestamp !== undefined &&
    ingresses.filter((one) => one.metadata.creationTimestamp === metadata.creationTimestamp)
      .length > 1;
  for (const object of ingresses) {
    const at = wanted.findIndex(({ ingress }) => ingress === object.metadata.name);
    const [verdict] = at < 0 ? [] : wanted.splice(at, 1);
    const { isAllowed, message } = await validateObject(
      { uid: '', operation: 'CREATE', object },
      {
        reader,
        options: { nginx },
        ingressClass: 'kong',
        entities: { validate: async () => undefined },
      },
    );
    if (verdict !== undefined && verdict.allowed !== isAllowed && !isTwin(object))
      found.push(
        `the webhook ${isAllowed ? 'allows' : 'refuses'} ${verdict.ingress}: ${message}`.trim(),
      );
    reader.put(object);
  }
  return found;
}

function byCreation(left: KubeObject, right: KubeObject): number {
  const [one = '', two = ''] = [left, right].map(({ metadata }) => metadata.creationTimestamp);
  return one < two ? -1 : Number(one > two);
}
