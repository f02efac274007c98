import net from 'node:net';
import tls from 'node:tls';
import type { ISocketFactory } from 'kafkajs';

const KEEP_ALIVE_MS = 60_000;
// OpenSSL's names of a chain that cannot be trusted, and Node's own of a name that does not fit.
const UNTRUSTED =
  /^(ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY)|CERT_(HAS_EXPIRED|NOT_YET|UNTRUSTED|REJECTED|REVOKED))/;

export interface WatchedSockets {
  socketFactory: ISocketFactory;
  /** Rejects when every one of the brokers has shown a certificate that we do not trust; never resolves. */
  untrusted: Promise<never>;
}

/**
 * Sockets as kafkajs makes them itself. It takes a refused certificate for a broker that is away, and tries for a
 * minute; whoever opens a log should be told at once.
 */
export function watchCertificates(brokers: readonly string[]): WatchedSockets {
  let refuse: (error: Error) => void;
  const untrusted = new Promise<never>((_, reject) => (refuse = reject));
  // Of interest only while a log is opened.
  untrusted.catch(() => undefined);
  const trusted = new Set(brokers);
  const socketFactory: ISocketFactory = ({ host, port, ssl, onConnect }) => {
    const socket = ssl
      ? tls.connect({ host, port, ...(net.isIP(host) === 0 ? { servername: host } : {}), ...ssl }, onConnect)
      : net.connect({ host, port }, onConnect);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (!UNTRUSTED.test(error.code ?? '')) return;
      trusted.delete(`${host}:${port}`);
      if (trusted.size === 0) refuse(error);
    });
    return socket;
  };
  return { socketFactory, untrusted };
}
