import { dnsSubdomainProblems, humanDuration } from '@waygate/text';
import { ageColumn, column } from '../output/base-columns.ts';
import type { Strategy } from '../resources/resource.ts';
import { type FieldProblem, required } from '../status/field-problem.ts';
import { apiServiceStrategy } from './api-service.ts';
import { driverStrategy } from './csi-driver.ts';
import { type Fields, listAt, numberAt, objectAt, textAt } from './fields.ts';
import { flowSchemaStrategy, priorityLevelStrategy } from './flow-control.ts';
import { textProblems } from './rule.ts';
import { runtimeClassStrategy } from './runtime-class.ts';
import { signingRequestRules } from './signing-request.ts';
import { allMetadata } from './status-rules.ts';
import { specOf } from './workload.ts';

/** Kinds of which the status endpoint changes the status and nothing else. */

const flag = { type: 'boolean' };
const unset = '<unset>';
const none = '<none>';

/** Where a policy or its binding takes parameters from. */
const paramKindColumn = column('ParamKind', (object) => {
  const kind = objectAt(specOf(object), 'paramKind');
  return textAt(kind, 'kind') === ''
    ? unset
    : `${textAt(kind, 'apiVersion')}/${textAt(kind, 'kind')}`;
});

const paramRefColumn = column('ParamRef', (object) => {
  const reference = specOf(object).paramRef as Fields | undefined;
  if (reference === undefined) return unset;
  const namespace = textAt(reference, 'namespace');
  return `${namespace === '' ? '' : `${namespace}/`}${textAt(reference, 'name')}`;
});

const countColumn = (name: string, field: string) =>
  column(name, (object) => listAt(specOf(object), field).length, { type: 'integer' });

export const validatingPolicyColumns = [
  countColumn('Validations', 'validations'),
  paramKindColumn,
  ageColumn,
];
export const mutatingPolicyColumns = [
  countColumn('Mutations', 'mutations'),
  paramKindColumn,
  ageColumn,
];
export const policyBindingColumns = [
  column('PolicyName', (object) => textAt(specOf(object), 'policyName')),
  paramRefColumn,
  ageColumn,
];

const revisionStrategy: Partial<Strategy> = {
  columns: [
    column('Controller', (object) => {
      const owner = (object.metadata.ownerReferences ?? []).find((each) => each.controller);
      if (owner === undefined) return none;
      const [, group = ''] = owner.apiVersion.split('/').reverse();
      return `${owner.kind.toLowerCase()}${group === '' ? '' : `.${group}`}/${owner.name}`;
    }),
    column('Revision', (object) => numberAt(object, 'revision') ?? 0),
    ageColumn,
  ],
};

const addressStrategy: Partial<Strategy> = {
  columns: [
    column('ParentRef', (object) => {
      const parent = specOf(object).parentRef as Fields | undefined;
      if (parent === undefined) return none;
      return ['resource', 'namespace', 'name'].map((part) => textAt(parent, part)).join('/');
    }),
    ageColumn,
  ],
};

const serviceNetworkStrategy: Partial<Strategy> = {
  keptByStatus: allMetadata,
  columns: [
    column('CIDRs', (object) => ((specOf(object).cidrs ?? []) as string[]).join(',')),
    ageColumn,
  ],
};

const storageNodeStrategy: Partial<Strategy> = {
  columns: [countColumn('Drivers', 'drivers'), ageColumn],
};

const attachmentStrategy: Partial<Strategy> = {
  keptByStatus: allMetadata,
  columns: [
    column('Attacher', (object) => textAt(specOf(object), 'attacher')),
    column('PV', (object) => textAt(objectAt(specOf(object), 'source'), 'persistentVolumeName')),
    column('Node', (object) => textAt(specOf(object), 'nodeName')),
    column('Attached', (object) => objectAt(object, 'status').attached ?? false, flag),
    ageColumn,
  ],
  validate(object): FieldProblem[] {
    const spec = specOf(object);
    const source = objectAt(spec, 'source');
    const hasName = textAt(source, 'persistentVolumeName') !== '';
    const hasInline = source.inlineVolumeSpec !== undefined;
    return [
      ...(textAt(spec, 'attacher') === '' ? [required('spec.attacher')] : []),
      ...(hasName || hasInline
        ? []
        : [
            required(
              'spec.source',
              'must specify exactly one of inlineVolumeSpec and persistentVolumeName',
            ),
          ]),
      ...textProblems('spec.nodeName', textAt(spec, 'nodeName'), dnsSubdomainProblems),
    ];
  },
  validateUpdate: () => [],
};

const capacityStrategy: Partial<Strategy> = {
  columns: [
    column('StorageClassName', (object) => textAt(object, 'storageClassName')),
    column('Capacity', (object) => textAt(object, 'capacity') || unset),
  ],
};

const signingRequestStrategy: Partial<Strategy> = {
  ...signingRequestRules,
  columns: [
    ageColumn,
    column('SignerName', (object) => textAt(specOf(object), 'signerName') || none),
    column('Requestor', (object) => textAt(specOf(object), 'username')),
    column('RequestedDuration', (object) => {
      const seconds = numberAt(specOf(object), 'expirationSeconds');
      return seconds === undefined ? none : humanDuration(seconds * 1000);
    }),
    column('Condition', (object) => {
      const status = objectAt(object, 'status');
      const types = listAt(status, 'conditions').map((each) => textAt(each, 'type'));
      const state = types.includes('Denied')
        ? 'Denied'
        : types.includes('Approved')
          ? 'Approved'
          : 'Pending';
      const failed = types.includes('Failed') ? ',Failed' : '';
      return `${state}${failed}${textAt(status, 'certificate') === '' ? '' : ',Issued'}`;
    }),
  ],
};

/** Kinds that few clients ask for, by `plural.group`: mostly their columns. */
export const rareStrategies: Readonly<Record<string, Partial<Strategy>>> = {
  'apiservices.apiregistration.k8s.io': apiServiceStrategy,
  'certificatesigningrequests.certificates.k8s.io': signingRequestStrategy,
  componentstatuses: { deprecation: 'v1 ComponentStatus is deprecated in v1.19+' },
  'controllerrevisions.apps': revisionStrategy,
  'csidrivers.storage.k8s.io': driverStrategy,
  'csinodes.storage.k8s.io': storageNodeStrategy,
  'csistoragecapacities.storage.k8s.io': capacityStrategy,
  'flowschemas.flowcontrol.apiserver.k8s.io': flowSchemaStrategy,
  'ipaddresses.networking.k8s.io': addressStrategy,
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': priorityLevelStrategy,
  'runtimeclasses.node.k8s.io': runtimeClassStrategy,
  'servicecidrs.networking.k8s.io': serviceNetworkStrategy,
  'volumeattachments.storage.k8s.io': attachmentStrategy,
};
