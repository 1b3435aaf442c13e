import type { ControllerFlag } from '@waygate/runtime';

/** A flag, as the tables of flags are written. */
export type FlagRow = readonly [
  name: string,
  type: ControllerFlag['type'],
  value: ControllerFlag['default'],
  summary: string,
  more?: Pick<ControllerFlag, 'replacedBy' | 'withoutEffect'>,
];
