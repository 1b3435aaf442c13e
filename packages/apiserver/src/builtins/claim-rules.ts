import { Quantity } from '@waygate/schema';
import { dnsSubdomainProblems } from '@waygate/text';
import {
  type FieldProblem,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../status/field-problem.ts';
import { type Fields, objectAt, textAt, textsAt } from './fields.ts';
import { amountProblems, quantityOf } from './resource-rules.ts';
import { needed, textProblems } from './rule.ts';
import { selectorProblems } from './selector-rules.ts';

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
export const volumeModes = ['Block', 'Filesystem'];

/** How a volume may be used by several. */
export function accessModeProblems(spec: Fields, field: string): FieldProblem[] {
  const modes = textsAt(spec, 'accessModes');
  const problems = modes.flatMap((mode) =>
    accessModes.includes(mode) ? [] : [notSupported(`${field}.accessModes`, mode, accessModes)],
  );
  const others = modes.filter((mode) => accessModes.includes(mode) && mode !== 'ReadWriteOncePod');
  if (modes.includes('ReadWriteOncePod') && others.length > 0) {
    const why = 'may not use ReadWriteOncePod with other access modes';
    problems.push(forbidden(`${field}.accessModes`, why));
  }
  return problems;
}

/** What is asked of a volume, in a claim and in the template of a StatefulSet. */
export function claimSpecProblems(spec: Fields, field: string): FieldProblem[] {
  const storage = objectAt(objectAt(spec, 'resources'), 'requests').storage;
  const at = `${field}.resources[storage]`;
  const className = textAt(spec, 'storageClassName');
  const mode = spec.volumeMode;
  return [
    ...(textsAt(spec, 'accessModes').length === 0
      ? [required(`${field}.accessModes`, 'at least 1 access mode is required')]
      : []),
    ...selectorProblems(spec.selector, `${field}.selector`),
    ...accessModeProblems(spec, field),
    ...(storage === undefined ? [required(at)] : storageProblems(storage, at)),
    ...dataSourceProblems(spec, field),
    ...(spec.dataSource !== undefined &&
    spec.dataSourceRef !== undefined &&
    !isSameSource(objectAt(spec, 'dataSource'), objectAt(spec, 'dataSourceRef'))
      ? [invalid(field, {}, 'must match dataSourceRef')]
      : []),
    ...(className === ''
      ? []
      : textProblems(`${field}.storageClassName`, className, dnsSubdomainProblems)),
    ...(textAt(spec, 'volumeAttributesClassName') === ''
      ? []
      : textProblems(
          `${field}.volumeAttributesClassName`,
          textAt(spec, 'volumeAttributesClassName'),
          dnsSubdomainProblems,
        )),
    ...(mode === undefined || volumeModes.includes(String(mode))
      ? []
      : [notSupported(`${field}.volumeMode`, mode, volumeModes)]),
  ];
}

function storageProblems(storage: unknown, field: string): FieldProblem[] {
  if (quantityOf(storage).compare(Quantity.fromNumber(0)) <= 0)
    return [invalid(field, String(storage), 'must be greater than zero')];
  return amountProblems('storage', storage, field);
}

function isSameSource(source: Fields, reference: Fields): boolean {
  return ['apiGroup', 'kind', 'name'].every(
    (name) => (source[name] ?? '') === (reference[name] ?? ''),
  );
}

const coreSources = 'PersistentVolumeClaim';

/**
 * The older field takes claims and snapshots alone, and loses anything else; what one of the two
 * fields says is in both then.
 */
export function settleDataSource(spec: Fields): void {
  if (spec.dataSource !== undefined) {
    const { kind, apiGroup } = objectAt(spec, 'dataSource');
    const isClaim = kind === coreSources && (apiGroup ?? '') === '';
    const isSnapshot = kind === 'VolumeSnapshot' && apiGroup === 'snapshot.storage.k8s.io';
    if (!isClaim && !isSnapshot) delete spec.dataSource;
  }
  // Claims on what is in another namespace are not served.
  if (textAt(objectAt(spec, 'dataSourceRef'), 'namespace') !== '') delete spec.dataSourceRef;
  const source = spec.dataSource ?? spec.dataSourceRef;
  if (source === undefined) return;
  for (const field of ['dataSource', 'dataSourceRef'])
    spec[field] ??= { apiGroup: null, ...(source as Fields) };
  for (const field of ['dataSource', 'dataSourceRef']) objectAt(spec, field).apiGroup ??= null;
}

/** What a new volume is filled with. */
function dataSourceProblems(spec: Fields, field: string): FieldProblem[] {
  return ['dataSource', 'dataSourceRef'].flatMap((name) => {
    if (spec[name] === undefined) return [];
    const source = objectAt(spec, name);
    const at = `${field}.${name}`;
    const kind = textAt(source, 'kind');
    const group = textAt(source, 'apiGroup');
    const why = `must be '${coreSources}' when referencing the default apiGroup`;
    return [
      ...needed(source, 'name', at),
      ...needed(source, 'kind', at),
      ...(group === '' && kind !== coreSources ? [invalid(at, kind, why)] : []),
      ...(group === '' ? [] : textProblems(`${at}.apiGroup`, group, dnsSubdomainProblems)),
    ];
  });
}
