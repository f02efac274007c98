// Logs in which a handful of lines matter, and build output.

const stamp = (start, milliseconds) => new Date(Date.parse(start) + milliseconds).toISOString();

// Three settled batches look alike; SB-…-0041 is booked twice with our own timeout in between.
function settlementLog(random) {
  const lines = [];
  for (let index = 1; index <= 119; index++) {
    const batch = `SB-2026-10-19-${String(index).padStart(4, '0')}`;
    const at = Date.parse('2026-10-19T22:30:00Z') + index * 16_000;
    const line = (offset, level, text) => lines.push(`${new Date(at + offset).toISOString()} ${level} [settle-${index % 4}] c.e.l.SettlementClient : ${text}`);
    if (index === 41) {
      line(9_000, 'INFO ', `POST /v2/settlements ${batch} amount=18204.55 EUR attempt=1`);
      line(11_002, 'WARN ', `${batch} attempt=1 read timed out after 2000 ms, retrying`);
      line(11_031, 'INFO ', `201 ${batch} id=stl_00A7F1 arrived after the timeout, dropped`);
      line(14_200, 'INFO ', `POST /v2/settlements ${batch} amount=18204.55 EUR attempt=2`);
      line(16_005, 'INFO ', `201 ${batch} id=stl_00A7F9`);
    } else if (index === 87) {
      for (let attempt = 1; attempt <= 5; attempt++) line(attempt * 2100, 'WARN ', `${batch} attempt=${attempt} read timed out after 2000 ms, retrying`);
      line(12_000, 'ERROR', `${batch} failed after 5 attempts`);
    } else {
      line(random.integer(100, 900), 'INFO ', `201 ${batch} id=stl_00${random.hex(4).toUpperCase()} amount=${random.integer(200, 30_000)}.${random.integer(10, 99)} EUR`);
    }
  }
  return lines.join('\n');
}

function supportWorkerLog(random) {
  const ids = ['EXP-771181', 'EXP-771183', 'EXP-771184', 'EXP-771187', 'EXP-771188', 'EXP-771190'];
  const lines = ['2026-11-03T05:50:02.114Z INFO  export-worker maintenance notice: scratch ca-central-3 remount scheduled'];
  for (let index = 0; index < 180; index++) {
    const id = ids[index % ids.length];
    const at = stamp('2026-11-03T06:02:11Z', index * 160_000 + random.integer(0, 900));
    const kind = index % 4;
    if (kind === 0) lines.push(`${at} INFO  export-worker account=ACC-90417 export=${id} fetch page=11 rows=5000 took=${random.integer(300, 900)}ms`);
    if (kind === 1) lines.push(`${at} WARN  export-worker account=ACC-90417 export=${id} scratch write refused volume=ca-central-3 page=11`);
    if (kind === 2) lines.push(`${at} ERROR export-worker account=ACC-90417 export=${id} page checksum mismatch page=11 error=ERR-55D1-0A`);
    if (kind === 3) lines.push(`${at} INFO  export-worker account=ACC-90417 export=${id} restart page=11 attempt=${index + 3} heartbeat=ok`);
  }
  lines.push('2026-11-03T14:19:58.700Z INFO  export-worker account=ACC-90417 slots=6/6 queued=23 oldest=EXP-771181 age=29867s');
  return lines.join('\n');
}

function supportStorageLog(random) {
  const lines = [
    '2026-11-03T14:31:10Z storage INC-6629 acknowledged by on-call-storage',
    '2026-11-03T14:38:44Z storage ca-central-3 mount state: ro (errors=remount-ro), since 2026-11-03T05:50:31Z',
    '2026-11-03T14:41:02Z storage ca-central-3 fsck started, 4 TiB',
  ];
  for (let percent = 2; percent <= 44; percent += 2) lines.push(`2026-11-03T14:${String(41 + Math.floor(percent / 3)).padStart(2, '0')}:30Z storage ca-central-3 fsck ${percent}% ${random.integer(90, 140)} MB/s`);
  lines.push('2026-11-03T15:12:00Z storage ca-central-3 estimate: writable by 19:00Z');
  return lines.join('\n');
}

function hostingLog(random) {
  const lines = [];
  for (let index = 0; index < 60; index++) lines.push(`${stamp('2026-11-11T00:02:00Z', index * 60_000)} INFO  [${random.integer(101, 108)}] GET /${random.pick(['catalog', 'product', 'media/cache/thumbs', 'cart'])}/${random.hex(6)} 200 ${random.integer(30, 600)}ms`);
  lines.push('2026-11-11T01:00:41Z ERROR [backup] bk-20261111-0100: запись прервана, свободно 0 МБ');
  for (let index = 0; index < 30; index++) lines.push(`${stamp('2026-11-11T01:05:00Z', index * 240_000)} WARN  [disk] /dev/vdb1 ${index < 20 ? '99.9' : '100.0'} % занято`);
  for (let index = 0; index < 70; index++) lines.push(`${stamp('2026-11-11T03:12:44Z', index * 81_000)} ERROR [${random.integer(101, 108)}] POST /checkout 500 OSError: [Errno 28] No space left on device`);
  return lines.join('\n');
}

function hostingAccessLog(random) {
  const lines = [];
  for (let index = 0; index < 190; index++) {
    const robot = index % 31 === 7;
    const address = robot ? '198.51.100.77' : `203.0.113.${random.integer(2, 250)}`;
    const path = random.pick(['/', '/catalog/merino', '/product/alpaka-50', '/cart', '/checkout', '/media/products/knit.jpg']);
    lines.push(`${address} - - [11/Nov/2026:07:${String(Math.floor(index / 10)).padStart(2, '0')}:${String((index * 6) % 60).padStart(2, '0')} +0000] "GET ${path}?utm_source=mail HTTP/2.0" ${robot ? 429 : 200} ${random.integer(9000, 99_000)} ${(random.integer(200, 980) / 1000).toFixed(3)} "${robot ? 'HarvestBot/2.1' : 'Mozilla/5.0'}"`);
  }
  return lines.join('\n');
}

function queueLog(random) {
  const lines = [];
  for (let index = 0; index < 90; index++) lines.push(JSON.stringify({ level: 'error', time: stamp('2026-10-28T22:52:00Z', index * 4500), service: 'parcel-notify', parcel: `PR-${random.integer(100_000, 999_999)}`, msg: 'socket hang up', code: 'ECONNRESET', attempt: (index % 3) + 1 }));
  lines.push(
    'DeliveryError: 50 of 50 notices failed',
    '    at deliverBatch (/app/dist/worker/deliver-batch.js:61:11)',
    '    at async Worker.tick (/app/dist/worker/worker.js:38:5)',
    ...Array.from({ length: 14 }, () => `    at async ${random.pick(['Job.run', 'Queue.process', 'Worker.retry'])} (/app/node_modules/bullmq/dist/cjs/classes/${random.pick(['worker', 'job', 'queue-base'])}.js:${random.integer(100, 900)}:${random.integer(5, 40)})`),
    '  [cause]: AggregateError: all deliveries of the batch failed',
    '      [errors]: [',
    ...Array.from({ length: 6 }, () => `        Error: connect EMFILE 198.51.100.${random.integer(10, 20)}:443 - Local (undefined:undefined)\n            at internalConnect (node:net:1105:16) { errno: -24, code: 'EMFILE', syscall: 'connect' },`),
    '        ... 44 more items',
    '      ]',
    '{"level":"fatal","time":"2026-10-28T22:59:13.402Z","service":"parcel-notify","msg":"exit","code":1}',
  );
  return lines.join('\n');
}

function internetSessionLog(random) {
  const lines = [];
  for (const day of [17, 18, 19]) {
    for (let index = 0; index < 26; index++) {
      const hour = String(12 + Math.floor(index / 3)).padStart(2, '0');
      const at = `2026-11-${day} ${hour}:${String((index * 17) % 60).padStart(2, '0')}:${String(random.integer(0, 59)).padStart(2, '0')}`;
      const evening = index > 20 && !(day === 19);
      lines.push(evening ? `${at} SVT7A41C09E2 LOS: втрата сигналу, ${random.integer(480, 760)} с, rx=${day === 17 ? '-24.6' : '-26.8'}` : `${at} SVT7A41C09E2 keepalive ok, rx=${day === 19 ? '-27.9' : `-24.${index % 7}`}, ip=203.0.113.${random.integer(10, 40)}`);
    }
  }
  lines.push('2026-11-19 19:14:09 SVT7A41C09E2 LOS: втрата сигналу, 611 с, rx=-27.9');
  return lines.join('\n');
}

function gradle(random, { total, failed, extra = [] }) {
  const tasks = ['compileJava', 'processResources', 'classes', 'compileTestJava', 'testClasses', 'test'].map((task) => `> Task :${task}${random.next() < 0.3 ? ' UP-TO-DATE' : ''}`);
  const names = ['readsTheStatus', 'mapsTheAmount', 'refusesAnEmptyBatch', 'signsTheBody', 'closesTheBatch', 'keepsTheCurrency', 'survivesARestart', 'reportsTheAttempts'];
  const tests = Array.from({ length: Math.min(total, 60) }, (_, index) => `${index % 3 === 2 ? 'SettlementMapperTest' : 'SettlementClientTest'} > ${names[index % names.length]}${index < names.length ? '' : index}() PASSED`);
  return [...tasks, '', ...tests, ...extra, '', failed ? `${total} tests completed, ${failed} failed` : `${total} tests completed`, failed ? 'BUILD FAILED in 14s' : `BUILD SUCCESSFUL in ${random.integer(9, 48)}s`].join('\n');
}

const red = [
  'SettlementClientTest > booksOnceWhenTheAnswerIsLost() FAILED',
  '    java.lang.AssertionError: [bookings of SB-T-1]',
  '    expected size: 1 but was: 2',
  '        at app//com.example.ledger.SettlementClientTest.booksOnceWhenTheAnswerIsLost(SettlementClientTest.java:143)',
];

function ciLog(random) {
  const pulls = Array.from({ length: 70 }, (_, index) => `#12 ${index}.${random.integer(100, 999)} Download https://repo.example.com/maven2/org/lib${index}/${random.integer(1, 9)}.${random.integer(0, 20)}/lib${index}.jar (${random.integer(20, 900)} kB)`);
  return [
    'CI 7733 branch fix/LS-2207-retry-storm commit 4be19d7',
    ...pulls,
    gradle(random, {
      total: 212,
      failed: 1,
      extra: ['LedgerClockTest > rollsOverAtMidnight() FAILED', '    org.opentest4j.AssertionFailedError: expected: 2026-10-21 but was: 2026-10-20', '    real clock read at 2026-10-20T23:59:59.981Z', '        at app//com.example.ledger.LedgerClockTest.rollsOverAtMidnight(LedgerClockTest.java:27)'],
    }),
    'history: LedgerClockTest.rollsOverAtMidnight failed in builds 7688, 7702, 7733',
  ].join('\n');
}

export const logs = {
  'coding-settlement-log': settlementLog,
  'support-worker-log': supportWorkerLog,
  'support-storage-log': supportStorageLog,
  'hosting-log': hostingLog,
  'hosting-access-log': hostingAccessLog,
  'queue-log': queueLog,
  'internet-session-log': internetSessionLog,
  'coding-ci-log': ciLog,
  'coding-gradle-first': (random) => gradle(random, { total: 14 }),
  'coding-gradle-red': (random) => gradle(random, { total: 1, failed: 1, extra: red }).replace(/\n\S+ > readsTheStatus\(\) PASSED/, ''),
  'coding-gradle-green': (random) => gradle(random, { total: 15, extra: ['SettlementClientTest > booksOnceWhenTheAnswerIsLost() PASSED'] }).replace(/\n\S+ > \w+14\(\) PASSED/, ''),
  'coding-gradle-check': (random) => gradle(random, { total: 212, extra: ['> Task :checkstyleMain', '> Task :japicmp', 'japicmp: no changes in com.example.ledger.SettlementClient', '> Task :check'] }),
};
