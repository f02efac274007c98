// Orders, payments and job lists: nested JSON with the nulls and envelopes that real services send.
import { exportJobs } from './export-jobs.mjs';

const money = (amount, currency = 'EUR') => ({ amount, currency, display: `${amount} ${currency}`, tax: null });

function envelope(data, random) {
  return {
    data,
    included: [],
    links: { self: null, next: null, prev: null },
    meta: { request_id: random.hex(24), api_version: '2026-07', node: `api-${random.integer(1, 9)}`, warnings: [], deprecated: null },
  };
}

function shopLine(number, sku, name, quantity, price) {
  return {
    line: number,
    sku,
    name,
    quantity,
    unit_price: money(price),
    discounts: [],
    attributes: { gift_wrap: null, engraving: null, personalisation: null, bundle: null },
    media: ['s', 'm', 'l'].map((size) => ({ size, url: `https://img.example.com/${sku.toLowerCase()}-${size}.webp`, alt: '' })),
    customs: { hs_code: '6201.40', origin: 'PT', weight_g: 420, material: null },
    returns: { eligible: true, until: '2026-11-13', reason: null },
  };
}

function shopOrder(random) {
  const history = Array.from({ length: 22 }, (_, index) => ({
    at: new Date(Date.parse('2026-10-13T18:58:00Z') + index * 34_000).toISOString(),
    actor: random.pick(['customer', 'checkout', 'payments', 'warehouse']),
    event: random.pick(['cart.updated', 'page.view', 'address.validated', 'payment.intent', 'stock.reserved', 'risk.scored']),
    session: random.hex(16),
    payload: { risk: random.integer(1, 9), cart_total: '214.80', previous: null, experiment: null },
  }));
  return {
    content: envelope(
      {
        id: 'LL-48213-QX',
        placed_at: '2026-10-13T19:04:22Z',
        state: 'packed',
        channel: 'web',
        customer: { id: 'client-1184', email: 'marta.k@example.com', phone: null, loyalty: { tier: null, points: 0 } },
        totals: { goods: money('214.80'), shipping: money('0.00'), discount: money('0.00'), grand: money('214.80') },
        lines: [
          shopLine(1, 'FRS-W-M-EMBER', 'Fell Ridge shell jacket, women, M, ember', 1, '177.00'),
          shopLine(2, 'WSK-U-38-OAT', 'Wayfarer wool socks, 38, oat', 2, '18.90'),
        ],
        addresses: {
          shipping: { line1: '7 Orchard Lane', line2: null, city: 'Westerfield', postcode: 'WF7 1AB', country: 'IE', geo: null },
          billing: null,
        },
        payments: [
          { id: 'pay_9fK2mQ71', state: 'captured', amount: money('214.80'), at: '2026-10-13T19:02:10Z', client_timeout: true, error: null },
          { id: 'pay_9fK2mR08', state: 'captured', amount: money('214.80'), at: '2026-10-13T19:04:19Z', client_timeout: false, error: null },
        ],
        shipments: [{ parcel: 'TLX7700318842IE', carrier: 'Tollex', state: 'label_printed', picked_up_at: null, promise: null }],
        history,
      },
      random,
    ),
    content_type: 'application/json',
  };
}

// The gateway's own sequence numbers are above 2^53: they must come out as written.
function shopPayments(random) {
  const lines = Array.from({ length: 26 }, (_, index) => {
    const second = index < 13;
    return JSON.stringify({
      sequence: 'SEQ',
      at: new Date(Date.parse(second ? '2026-10-13T19:04:05Z' : '2026-10-13T19:01:50Z') + (index % 13) * 1600).toISOString(),
      payment: second ? 'pay_9fK2mR08' : 'pay_9fK2mQ71',
      order: 'LL-48213-QX',
      event: ['created', 'risk.requested', 'risk.ok', '3ds.started', '3ds.frame', '3ds.answer', '3ds.ok', 'authorize', 'authorized', 'capture', 'captured', 'webhook.sent', 'webhook.ack'][index % 13],
      amount: '214.80',
      currency: 'EUR',
      acquirer: { id: `acq-${random.integer(100, 999)}`, code: null, message: null },
      trace: random.hex(32),
    }).replace('"SEQ"', `90071992547409${93100 + index}`);
  });
  return { content: lines.join('\n'), content_type: 'application/x-ndjson' };
}

function shopPacking(random) {
  const scan = (at, sku, result) => ({ at, station: 'MIL-2/P14', operator: 'op-31', sku, result, weight_g: random.integer(80, 900), image: null });
  const scans = [
    scan('2026-10-14T05:51:07.120Z', 'FRS-W-M-EMBER', 'accepted'),
    scan('2026-10-14T05:51:15.804Z', 'WSK-U-38-OAT', 'accepted'),
    scan('2026-10-14T05:51:16.011Z', 'WSK-U-38-OAT', 'ignored_double_read'),
  ];
  const sensors = Array.from({ length: 40 }, (_, index) => ({ t: index * 250, belt: 1, gate: index % 7 === 0, mm: random.integer(100, 400) }));
  return {
    content: envelope(
      { id: 'LL-48213-QX', shipments: [{ parcel: 'TLX7700318842IE', state: 'delivered', packing: { scans, expected_items: 3, packed_items: 2, sensors } }] },
      random,
    ),
  };
}

function supportJobs() {
  const lines = exportJobs.map((job) => {
    const running = job.state === 'running';
    return JSON.stringify({
      ...job,
      client: undefined,
      engine: 'v2',
      started_at: job.started_at,
      heartbeat_at: running ? '2026-11-03T14:20:05Z' : null,
      output: null,
      error: null,
      labels: { period: '2026-10', requested_by: 'dana', format: 'xlsx' },
    });
  });
  return { content: lines.join('\n'), content_type: 'application/x-ndjson' };
}

function coffeeOrder(random) {
  const event = (at, name, data) => ({ at, event: name, data, trace: random.hex(16), actor: null });
  const noise = Array.from({ length: 14 }, (_, index) =>
    event(`2026-10-22T19:${28 + index}:0${index % 10}+03:00`, random.pick(['резерв.продлён', 'письмо.отправлено', 'склад.проверка']), { attempt: index }),
  );
  return {
    content: envelope(
      {
        order_id: 'ЗП-300817',
        state: 'оплачен',
        total: { goods: 61130, discount: 1770, delivery: 0, to_pay: 59360, currency: 'RUB' },
        payments: [{ id: 'ПЛ-9120045', amount: 61130, currency: 'RUB', at: '2026-10-23T18:29:55+03:00', link: 'письмо', page_opened_at: '2026-10-22T19:21:40+03:00' }],
        history: [
          event('2026-10-22T19:20:12+03:00', 'заказ.создан', { total: 61130 }),
          event('2026-10-22T19:21:40+03:00', 'оплата.страница_открыта', { amount: 61130 }),
          event('2026-10-22T19:26:14+03:00', 'скидка.применена', { percent: 3, amount: 1770 }),
          ...noise,
          event('2026-10-23T18:29:55+03:00', 'оплата.получена', { amount: 61130 }),
        ],
      },
      random,
    ),
  };
}

function bikeOrder(random) {
  const step = (at, by, event, extra = {}) => ({ at, by, event, note: null, ref: random.hex(12), ...extra });
  return {
    content: envelope(
      {
        order_id: 'СП-60942',
        state: 'комплектується',
        lines: [
          { sku: 'SMR-U9-SM-CRM', name: 'Smereka Urban 9, кремовий, S/M', quantity: 1, state: 'зібрано, очікує деталь', frame: 'SMU9-26-118730' },
          { sku: 'LCK-U14', name: 'Замок U-подібний «Брама 14»', quantity: 1, state: 'на складі', frame: null },
          { sku: 'BSK-WLW', name: 'Кошик з лози на кермо', quantity: 1, state: 'на складі', frame: null },
        ],
        delivery: { date: '2026-10-23', before: '17:00', route: null, address: 'м. Калинове, вул. Ткацька, 27, офіс 4', geo: null },
        history: [
          step('2026-10-17T08:58:12Z', 'оплата', 'отримано 32487.00 UAH'),
          step('2026-10-19T06:30:00Z', 'склад', 'передано в майстерню'),
          step('2026-10-20T12:47:00Z', 'майстерня', 'зібрано, майстер 3'),
          step('2026-10-20T13:05:00Z', 'контроль', 'подряпина на задньому крилі, фото 2', { sku: 'FND-U9-CRM' }),
          step('2026-10-20T13:20:00Z', 'закупівля', 'замовлено деталь', { sku: 'FND-U9-CRM', expected: '2026-10-22T07:00:00Z' }),
          ...Array.from({ length: 16 }, (_, index) => step(`2026-10-21T0${index % 10}:1${index % 10}:00Z`, 'система', 'перевірка резерву', { attempt: index })),
        ],
      },
      random,
    ),
  };
}

export const orders = {
  'shop-order': shopOrder,
  'shop-payments': shopPayments,
  'shop-packing': shopPacking,
  'support-jobs': supportJobs,
  'coffee-order': coffeeOrder,
  'bike-order': bikeOrder,
};
