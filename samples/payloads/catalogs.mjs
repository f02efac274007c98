// Product searches and reviews: long lists in which a few fields matter.

function shopProducts(random) {
  const item = (colour, size, stock) => ({
    sku: `FRS-W-${size}-${colour.toUpperCase()}`,
    name: 'Fell Ridge shell jacket',
    gender: 'women',
    colour,
    size,
    price: { amount: '177.00', currency: 'EUR', was: null, campaign: null },
    stock,
    description: 'Three-layer shell with taped seams, a helmet-sized hood, two hand pockets above the hip belt and pit zips. Water column 20,000 mm, breathability 15,000 g. Repairable: every zip and cord can be bought as a spare part.',
    badges: [],
    rating: { average: 4.6, count: random.integer(40, 400), histogram: [2, 3, 9, 41, 120] },
    images: Array.from({ length: 4 }, (_, index) => ({ url: `https://img.example.com/frs/${colour}-${index}.webp`, width: 1200, height: 1500, blurhash: random.hex(20) })),
    seo: { title: null, canonical: null, hreflang: [] },
  });
  const free = { moss: 4, slate: 11, ember: 0 };
  const items = ['moss', 'slate', 'ember', 'dusk'].flatMap((colour) =>
    ['S', 'M', 'L'].map((size) =>
      item(colour, size, [
        { warehouse: 'MIL-2', free: size === 'L' ? (free[colour] ?? 0) : random.integer(0, 12), reserved: random.integer(0, 3), restock_at: null },
        { warehouse: 'ROT-1', free: 0, reserved: 0, restock_at: null },
      ]),
    ),
  );
  return { content: { took_ms: 41, total: items.length, facets: null, items, suggestions: [], redirect: null } };
}

function coffeeCatalog(random) {
  const known = [
    ['NRV-P300', 'Norvia Piano 300', 57990, 58, 'контейнер, самоочистка'],
    ['KST-DUOS', 'Kestrel Duo S', 54490, 61, 'трубка'],
    ['LMO-BM', 'Lumo Barista Mini', 62900, 57, 'контейнер, самоочистка'],
  ];
  const brands = ['Aldera', 'Borsa', 'Cumulus', 'Drava', 'Elmo', 'Fjord', 'Granito'];
  for (let index = 0; index < 17; index++) {
    known.push([`GEN-${400 + index}`, `${random.pick(brands)} ${random.integer(100, 900)}`, random.integer(38, 65) * 1000 - 10, random.integer(63, 74), random.pick(['трубка', 'контейнер'])]);
  }
  const items = known.map(([sku, name, price, noise_db, milk]) => ({
    sku,
    name,
    price: { value: price, currency: 'RUB', old: null, installment: null },
    specs: { noise_db, milk, pump_bar: 15, water_l: random.integer(12, 20) / 10, width_mm: random.integer(180, 260), grinder: 'керамика', power_w: 1450, display: null },
    stock: { main: random.integer(0, 20), shops: [], expected: null },
    description: 'Автоматическая кофемашина для дома: помол, заваривание и молочные напитки одной кнопкой. Съёмный заварочный блок, регулировка крепости и объёма, режим предварительного смачивания.',
    labels: [],
    video: null,
  }));
  return { content: { total: items.length, sort: 'noise', filters: { price_max: 65000 }, items, banner: null } };
}

function coffeeReviews(random) {
  const complaints = [
    ['лоток', 11, 'Лоток для капель крошечный, выливаю после каждых восьми чашек. В остальном довольна.'],
    ['отпечатки', 7, 'Чёрная панель вся в пальцах, протираю по три раза на день.'],
    ['клапан', 5, 'Через месяц стал подтекать клапан пара, поменяли бесплатно за четыре дня. Серия 2605.'],
    ['шум', 2, 'Громковата! Хотя стоит у самой стены, может, от неё и гудит.'],
    ['разное', 15, 'Ожидала большего за такие деньги, но кофе вкусный, спору нет.'],
  ];
  const names = ['Анна', 'Олег', 'Марина', 'Тимур', 'Вера', 'Глеб', 'Юлия', 'Рустам'];
  const lines = complaints.flatMap(([topic, count, text]) =>
    Array.from({ length: count }, (_, index) => ({
      id: random.integer(100_000, 999_999),
      sku: 'NRV-P300',
      stars: topic === 'разное' ? 3 : random.integer(2, 3),
      author: random.pick(names),
      date: `2026-0${random.integer(1, 9)}-${10 + (index % 18)}`,
      topic,
      text,
      helpful: random.integer(0, 60),
      photos: [],
      reply: null,
    })),
  );
  return { content: lines.map((line) => JSON.stringify(line)).join('\n'), content_type: 'application/x-ndjson' };
}

function bikeCatalog(random) {
  const known = [
    ['LEL-C8-SM', 'Lelia City 8', 27400, 8, 15.2, 'дискові гідравлічні', 'планетарна втулка'],
    ['SMR-U9-SM', 'Smereka Urban 9', 29850, 9, 13.4, 'дискові гідравлічні', 'касета 11-36'],
    ['DUN-C7-SM', 'Dunai Comfort 7', 24990, 7, 16.0, 'ободові', 'касета 14-34'],
  ];
  for (let index = 0; index < 13; index++) {
    known.push([`CTY-${20 + index}`, `${random.pick(['Verba', 'Ovyd', 'Sokil', 'Polonyna'])} ${random.integer(10, 99)}`, random.integer(18, 32) * 1000 - 50, random.integer(8, 21), random.integer(140, 175) / 10, 'ободові', 'касета']);
  }
  const items = known.map(([sku, name, price, gears, weight_kg, brakes, drive]) => ({
    sku,
    name,
    price: { value: price, currency: 'UAH', before: null },
    specs: { gears, weight_kg, brakes, drive, frame: 'алюміній', wheels_in: 28, tyres: '700x40C', load_kg: 120, light: null },
    sizes: ['S/M', 'M/L'].map((size) => ({ size, height_cm: size === 'S/M' ? [158, 172] : [170, 186], stock: random.integer(1, 7) })),
    description: 'Міський велосипед для щоденних поїздок: пряма посадка, повний захист ланцюга, крила й багажник. Рама має довічну гарантію, решта вузлів 24 місяці.',
    gallery: Array.from({ length: 3 }, (_, index) => `https://img.example.com/bike/${sku.toLowerCase()}-${index}.webp`),
    tags: [],
    seller: null,
  }));
  return { content: { total: items.length, items, page: { number: 1, next: null }, debug: null } };
}

export const catalogs = {
  'shop-products': shopProducts,
  'coffee-catalog': coffeeCatalog,
  'coffee-reviews': coffeeReviews,
  'bike-catalog': bikeCatalog,
};
