/** The status of gRPC that a client reads from one of HTTP, as gRPC's own mapping has it. */
const statusOfHttp: Readonly<Record<number, number>> = {
  400: 13,
  401: 16,
  403: 7,
  404: 12,
  429: 14,
  502: 14,
  503: 14,
  504: 14,
};

const unknownStatus = 2;

export function isGrpcType(contentType: string | undefined): boolean {
  return contentType?.startsWith('application/grpc') === true;
}

/** What an answer of our own tells a client of gRPC beside its status of HTTP. */
export function grpcHeaders(status: number, message: string): readonly [string, string][] {
  return [
    ['grpc-status', String(statusOfHttp[status] ?? unknownStatus)],
    ['grpc-message', encodeURI(message)],
  ];
}
