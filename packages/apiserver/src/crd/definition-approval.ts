import type { Definition } from './definition.ts';

/** Groups that only the project itself may add kinds to. */
const protectedGroup = /(?:^|\.)(?:k8s\.io|kubernetes\.io)$/;
const policy = 'see https://github.com/kubernetes/enhancements/pull/1111';

export const approvalAnnotation = 'api-approved.kubernetes.io';

/** Whether a definition in a protected group is approved, in the words of its condition. */
export interface Approval {
  readonly status: 'True' | 'False';
  readonly reason:
    | 'ApprovedAnnotation'
    | 'InvalidAnnotation'
    | 'MissingAnnotation'
    | 'UnapprovedAnnotation';
  readonly message: string;
}

/** Nobody needs an approval for a group of their own: then there is nothing to say. */
export function approvalOf({ spec, metadata }: Definition): Approval | undefined {
  if (!protectedGroup.test(spec.group ?? '')) return undefined;
  const value = metadata.annotations?.[approvalAnnotation] ?? '';
  const wanted = `protected groups must have approval annotation "${approvalAnnotation}"`;
  if (value === '')
    return { status: 'False', reason: 'MissingAnnotation', message: `${wanted}, ${policy}` };
  if (value.startsWith('unapproved')) {
    const message = `not approved: ${JSON.stringify(value)}`;
    return { status: 'False', reason: 'UnapprovedAnnotation', message };
  }
  if (URL.canParse(value) && new URL(value).host !== '')
    return { status: 'True', reason: 'ApprovedAnnotation', message: `approved in ${value}` };
  const message = `${wanted} with either a URL or a reason starting with "unapproved", ${policy}`;
  return { status: 'False', reason: 'InvalidAnnotation', message };
}
