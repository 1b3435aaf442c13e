import { type Fields, listAt, objectAt } from './fields.ts';

/** How well a pod's resources are assured, from its requests and limits. */
export function qualityOf(spec: Fields): string {
  const resources = listAt(spec, 'containers').map((each) => objectAt(each, 'resources'));
  const isEmpty = (each: Fields) =>
    Object.keys(objectAt(each, 'requests')).length === 0 &&
    Object.keys(objectAt(each, 'limits')).length === 0;
  if (resources.every(isEmpty)) return 'BestEffort';
  const isGuaranteed = resources.every((each) =>
    ['cpu', 'memory'].every((name) => {
      const limit = objectAt(each, 'limits')[name];
      return limit !== undefined && limit === (objectAt(each, 'requests')[name] ?? limit);
    }),
  );
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}
