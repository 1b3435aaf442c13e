import type { Status, StatusCause, StatusDetails } from '@waygate/schema';
import { causeReason, type FieldProblem, problemBody, problemText } from './field-problem.ts';

/** Which resource an error speaks of: `deployments.apps`. */
interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/**
 * An answer that is not a success. Thrown anywhere below a request handler; its `status`
 * is what the client reads.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /**
   * An answer is not a success. `status` is what the client reads, with reason and causes as the
   * real API gives them.
   */
  readonly code = 'WG_APISERVER_STATUS';
  readonly status: Status & { readonly code: number };
  /** Refused on the way in, before any handler ran. */
  isEarly = false;

  constructor(code: number, reason: string, message: string, details?: StatusDetails) {
    super(message);
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      ...(reason === '' ? {} : { reason }),
      ...(details === undefined ? {} : { details }),
      code,
    } as Status & { readonly code: number };
  }
}

function qualified(resource: GroupResource): string {
  return resource.group === '' ? resource.resource : `${resource.resource}.${resource.group}`;
}

function detailsOf(name: string, group: string, kind: string, causes?: StatusCause[]) {
  return {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    ...(kind === '' ? {} : { kind }),
    ...(causes === undefined || causes.length === 0 ? {} : { causes }),
  } as StatusDetails;
}

export function notFound(resource: GroupResource, name: string): ApiError {
  return new ApiError(
    404,
    'NotFound',
    `${qualified(resource)} "${name}" not found`,
    detailsOf(name, resource.group, resource.resource),
  );
}

export function alreadyExists(
  resource: GroupResource,
  name: string,
  isBeingDeleted = false,
): ApiError {
  return new ApiError(
    409,
    'AlreadyExists',
    `${isBeingDeleted ? 'object is being deleted: ' : ''}${qualified(resource)} "${name}" already exists`,
    detailsOf(name, resource.group, resource.resource),
  );
}

export function conflict(
  resource: GroupResource,
  name: string,
  why: string,
  causes?: StatusCause[],
): ApiError {
  return new ApiError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${why}`,
    detailsOf(name, resource.group, resource.resource, causes),
  );
}

export const modifiedMessage =
  'the object has been modified; please apply your changes to the latest version and try again';

export function badRequest(message: string): ApiError {
  return new ApiError(400, 'BadRequest', message);
}

export function forbiddenError(resource: GroupResource, name: string, why: string): ApiError {
  const subject = qualified(resource);
  const message =
    resource.resource === ''
      ? `forbidden: ${why}`
      : name === ''
        ? `${subject} is forbidden: ${why}`
        : `${subject} "${name}" is forbidden: ${why}`;
  return new ApiError(
    403,
    'Forbidden',
    message,
    detailsOf(name, resource.group, resource.resource),
  );
}

export function unauthorized(): ApiError {
  return new ApiError(401, 'Unauthorized', 'Unauthorized');
}

/** A 422: one problem reads as itself, several as a list in brackets. */
export function invalidObject(
  kind: GroupKind,
  name: string,
  problems: readonly FieldProblem[],
): ApiError {
  const causes = problems.map((problem) => ({
    reason: causeReason(problem),
    message: problemBody(problem),
    field: problem.field === '' ? '<nil>' : problem.field,
  }));
  const subject = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
  const suffix = joinProblems(problems);
  const message =
    suffix === ''
      ? `${subject} "${name}" is invalid`
      : `${subject} "${name}" is invalid: ${suffix}`;
  return new ApiError(422, 'Invalid', message, detailsOf(name, kind.group, kind.kind, causes));
}

function joinProblems(problems: readonly FieldProblem[]): string {
  const texts = [...new Set(problems.map(problemText))];
  if (texts.length === 1) return texts[0] as string;
  return texts.length === 0 ? '' : `[${texts.join(', ')}]`;
}

export function methodNotAllowed(): ApiError {
  return new ApiError(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    {},
  );
}

/** The resource itself is not served, as opposed to one object of it. */
export function resourceNotFound(): ApiError {
  return new ApiError(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function internalError(message: string): ApiError {
  return new ApiError(500, 'InternalError', `Internal error occurred: ${message}`, {
    causes: [{ message }],
  } as StatusDetails);
}

/** A 500 without a reason, which is how the API reports some errors of the storage layer. */
export function plainFailure(message: string): ApiError {
  return new ApiError(500, '', message);
}

export function notAcceptable(available: readonly string[]): ApiError {
  return new ApiError(
    406,
    'NotAcceptable',
    `406: Not Acceptable\n\nAvailable representations: ${available.join(', ')}`,
    {},
  );
}

export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  return new ApiError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );
}

export function requestTooLarge(message: string): ApiError {
  return new ApiError(413, 'RequestEntityTooLarge', message);
}

export function tooLargeResourceVersion(asked: number, current: number): ApiError {
  return new ApiError(
    504,
    'Timeout',
    `Timeout: Too large resource version: ${asked}, current: ${current}`,
    {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    } as StatusDetails,
  );
}

export function expired(message: string): ApiError {
  return new ApiError(410, 'Expired', message);
}
