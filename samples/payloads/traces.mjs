// Stack traces with wrappers, causes and suppressed errors: what matters is at the bottom, not at the top.

const SPRING = ['org.springframework.aop.framework.ReflectiveMethodInvocation.proceed', 'org.springframework.transaction.interceptor.TransactionAspectSupport.invokeWithinTransaction', 'org.springframework.retry.support.RetryTemplate.doExecute', 'org.springframework.cglib.proxy.MethodProxy.invoke', 'org.springframework.scheduling.support.DelegatingErrorHandlingRunnable.run', 'java.base/java.util.concurrent.Executors$RunnableAdapter.call', 'java.base/java.util.concurrent.FutureTask.run', 'java.base/java.util.concurrent.ThreadPoolExecutor.runWorker', 'java.base/jdk.internal.reflect.DirectMethodHandleAccessor.invoke', 'io.micrometer.core.instrument.composite.CompositeTimer.recordCallable'];
const HTTP = ['java.net.http/jdk.internal.net.http.HttpClientImpl.send', 'java.net.http/jdk.internal.net.http.Http1Exchange.lambda$readHeaders$3', 'java.base/sun.nio.ch.NioSocketImpl.timedRead', 'java.base/sun.nio.ch.NioSocketImpl.implRead', 'java.base/sun.security.ssl.SSLSocketInputRecord.read', 'java.base/sun.security.ssl.SSLTransport.decode', 'java.base/java.util.concurrent.CompletableFuture$AsyncSupply.run'];

function javaFrames(random, names, count) {
  return Array.from({ length: count }, () => {
    const name = random.pick(names);
    const file = name.split('.').at(-2).split('$')[0];
    return `\tat ${name}(${file}.java:${random.integer(40, 1900)})`;
  });
}

const app = (method, line) => `\tat com.example.ledger.${method}(${method.split('.').at(-2)}.java:${line})`;

function javaTrace(random) {
  return [
    '2026-10-19T23:14:55.031Z ERROR [scheduler-2] c.e.l.jobs.NightlySettlement : job failed after 3 of 3 runs',
    'com.example.ledger.jobs.JobFailedException: nightly settlement gave up, 1 of 119 batches not settled',
    app('jobs.NightlySettlement.run', 58),
    app('jobs.JobRunner.attempt', 91),
    ...javaFrames(random, SPRING, 34),
    'Caused by: com.example.ledger.SettlementException: batch SB-2026-10-19-0087 failed after 5 attempts',
    app('SettlementClient.withRetry', 104),
    app('SettlementClient.settle', 66),
    app('jobs.NightlySettlement.settleAll', 42),
    ...javaFrames(random, SPRING, 26),
    '\tSuppressed: com.example.ledger.AuditException: could not write the audit record for SB-2026-10-19-0087',
    `\t${app('audit.AuditWriter.close', 33)}`,
    ...javaFrames(random, SPRING, 5).map((frame) => `\t${frame}`),
    '\tCaused by: java.sql.SQLTransientConnectionException: audit-pool - Connection is not available, request timed out after 30000ms',
    ...javaFrames(random, SPRING, 6).map((frame) => `\t${frame}`),
    '\t\t... 38 more',
    'Caused by: java.io.UncheckedIOException: POST /v2/settlements failed',
    app('http.RetryingHttpClient.execute', 77),
    app('http.RetryingHttpClient.post', 41),
    ...javaFrames(random, HTTP, 22),
    '\t... 31 more',
    'Caused by: java.net.SocketTimeoutException: Read timed out after 2000 ms (gateway-eu.payments.example.com:8443)',
    ...javaFrames(random, HTTP, 18),
    app('http.RetryingHttpClient.lambda$execute$0', 70),
    '\t... 44 more',
  ].join('\n');
}

function nodeTrace(random) {
  const frames = (count, indent = '    ') =>
    Array.from({ length: count }, () => {
      const place = random.pick(['node:internal/process/task_queues', 'node:internal/streams/pipeline', '/srv/worker/node_modules/pg-cursor/index.js', '/srv/worker/node_modules/exceljs/lib/stream/xlsx/workbook-writer.js', '/srv/worker/node_modules/p-queue/dist/index.js']);
      return `${indent}at ${random.pick(['async Promise.all', 'process.processTicksAndRejections', 'Writable.emit', 'PassThrough.callback', 'next', 'Queue.run'])} (${place}:${random.integer(20, 900)}:${random.integer(3, 60)})`;
    });
  return [
    'ERR-55D1-0A  first seen 2026-11-03T05:58:40Z  count 2641  account ACC-90417',
    '',
    'ExportError: export EXP-771181 failed on page 11: page checksum mismatch',
    '    at ExportRun.flushPage (/srv/worker/dist/export/export-run.js:212:13)',
    '    at async ExportRun.run (/srv/worker/dist/export/export-run.js:118:7)',
    ...frames(16),
    '  [cause]: PageError: page 11 has 0 of 4194304 bytes on scratch',
    '      at ScratchPage.verify (/srv/worker/dist/export/scratch-page.js:74:11)',
    ...frames(12, '      '),
    '    [cause]: AggregateError: all 3 replicas refused the write',
    '        at writeReplicas (/srv/worker/dist/export/scratch-volume.js:51:9)',
    ...frames(8, '        '),
    '      [errors]: [',
    ...['a', 'b', 'c'].flatMap((replica) => [
      `        Error: EACCES: permission denied, open '/mnt/scratch/ca-central-3/${replica}/EXP-771181/p0011'`,
      '            at async open (node:internal/fs/promises:638:25)',
      '            at async ScratchVolume.write (/srv/worker/dist/export/scratch-volume.js:33:18) {',
      "          errno: -13, code: 'EACCES', syscall: 'open'",
      '        },',
    ]),
    '      ]',
    '  }',
    '}',
  ].join('\n');
}

function pythonTrace(random) {
  const library = (count) =>
    Array.from({ length: count }, () => {
      const file = random.pick(['flask/app.py', 'flask/sessions.py', 'werkzeug/serving.py', 'sqlalchemy/engine/base.py', 'sqlalchemy/orm/session.py', 'gunicorn/workers/sync.py', 'jinja2/environment.py']);
      const [name, body] = random.pick([['full_dispatch_request', 'response = self.preprocess_request()'], ['wsgi_app', 'response = self.full_dispatch_request()'], ['_execute_context', 'self.dialect.do_execute(cursor, statement, parameters, context)'], ['commit', 'trans.commit(_to_root=True)'], ['handle', 'self.handle_request(listener, req, client, addr)']]);
      return `  File "/srv/klubok/venv/lib/python3.12/site-packages/${file}", line ${random.integer(80, 3000)}, in ${name}\n    ${body}`;
    });
  return [
    'Traceback (most recent call last):',
    ...library(11),
    '  File "/srv/klubok/app/shop/views.py", line 148, in checkout\n    order = place_order(session, cart)',
    '  File "/srv/klubok/app/shop/orders.py", line 71, in place_order\n    db.session.commit()',
    ...library(8),
    'psycopg.errors.DiskFull: could not extend file "base/16402/24817": No space left on device',
    'HINT:  Check free disk space.',
    '',
    'The above exception was the direct cause of the following exception:',
    '',
    'Traceback (most recent call last):',
    ...library(9),
    "sqlalchemy.exc.PendingRollbackError: This Session's transaction has been rolled back due to a previous exception during flush. (session rolled back)",
    '',
    'During handling of the above exception, another exception occurred:',
    '',
    'Traceback (most recent call last):',
    ...library(10),
    '  File "/srv/klubok/app/web/session_store.py", line 39, in save\n    with open(path, "wb") as file:',
    '  File "/srv/klubok/app/web/session_store.py", line 44, in _write\n    file.write(payload)',
    'OSError: [Errno 28] No space left on device',
  ].join('\n');
}

export const traces = { 'coding-java-trace': javaTrace, 'support-node-trace': nodeTrace, 'hosting-traceback': pythonTrace };
