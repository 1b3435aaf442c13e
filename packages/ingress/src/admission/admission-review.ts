import type { KubeObject } from '@waygate/schema';
import type { Verdict } from './credential-secret.ts';

/** `admission.k8s.io/v1` AdmissionReview, as far as it is read. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly namespace?: string;
  readonly name?: string;
  readonly object?: KubeObject | null;
  readonly oldObject?: KubeObject | null;
}

interface AdmissionReview {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: AdmissionRequest;
}

/** Reads the body of a review; a text says what is wrong with it. */
export function parseReview(body: string): AdmissionReview | string {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return 'the body is not JSON';
  }
  const { apiVersion, kind, request } = (value ?? {}) as Partial<AdmissionReview>;
  if (kind !== 'AdmissionReview' || apiVersion !== 'admission.k8s.io/v1')
    return 'the body is not an AdmissionReview of admission.k8s.io/v1';
  if (typeof request?.uid !== 'string') return 'the review has no request';
  return { apiVersion, kind, request };
}

/** The answer to a review. */
export function reviewResponse(request: AdmissionRequest, verdict: Verdict): object {
  const { isAllowed, message, warnings } = verdict;
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: {
      uid: request.uid,
      allowed: isAllowed,
      ...(isAllowed && message === ''
        ? {}
        : { status: { message, ...(isAllowed ? {} : { code: 400 }) } }),
      ...(warnings === undefined || warnings.length === 0 ? {} : { warnings }),
    },
  };
}
