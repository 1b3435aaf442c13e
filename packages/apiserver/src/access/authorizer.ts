import type { UserInfo } from './user.ts';

/** What a request wants to do. */
export interface AccessAttributes {
  readonly user: UserInfo;
  readonly verb: string;
  readonly isResource: boolean;
  readonly path: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

export interface Decision {
  readonly isAllowed: boolean;
  readonly reason: string;
}

export interface Authorizer {
  authorize(attributes: AccessAttributes): Decision;
}

/** Lets everybody do everything, for servers that only their owner can reach. */
export const allowAll: Authorizer = {
  authorize: () => ({ isAllowed: true, reason: '' }),
};
