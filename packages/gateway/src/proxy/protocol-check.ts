import type { RequestContext } from '../plugin/request-context.ts';
import { isGrpcType } from './grpc-status.ts';

/**
 * Whether a route takes requests of this protocol, after it matched. Ends the request if it does not:
 * plain HTTP on an https route is sent to https, or told to upgrade; gRPC routes take gRPC only.
 */
export function checkProtocol(context: RequestContext): void {
  const route = context.match?.entry.route;
  const protocols = route?.protocols ?? [];
  const { forwardedProto, forwardedHost } = context.client;
  if (protocols.includes('https') && !protocols.includes('http') && forwardedProto !== 'https') {
    const status = route?.https_redirect_status_code ?? 426;
    if (status === 426) {
      context.fail(426, 'Please use HTTPS protocol', {
        Connection: 'Upgrade',
        Upgrade: 'TLS/1.2, HTTP/1.1',
      });
    } else {
      context.exit(status, '', { Location: `https://${forwardedHost}${context.target}` });
    }
    return;
  }
  if (protocols.includes('grpc') || protocols.includes('grpcs')) {
    checkGrpc(context, protocols.includes('grpc'));
  }
}

function checkGrpc(context: RequestContext, isPlainAllowed: boolean): void {
  if (!isGrpcType(context.headers.get('content-type'))) {
    context.fail(415, 'Non-gRPC request matched gRPC route');
    return;
  }
  if (context.request.httpVersionMajor !== 2) {
    context.fail(426, 'Please use HTTP2 protocol', { Connection: 'Upgrade', Upgrade: 'HTTP/2' });
    return;
  }
  if (!isPlainAllowed && context.client.forwardedProto !== 'https') {
    context.exit(200, '', {
      'content-type': 'application/grpc',
      'grpc-status': '1',
      'grpc-message': 'gRPC request matched gRPCs route',
    });
  }
}
