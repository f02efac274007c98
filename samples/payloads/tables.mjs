// SQL answers and CSV files. Numbers that a session quotes are written out; the rest is drawn.
import { exportJobs } from './export-jobs.mjs';

const csv = (rows, separator = ',') => ({ content: rows.map((row) => row.join(separator)).join('\n'), content_type: 'text/csv' });

function supportAffected() {
  const rows = exportJobs.map((job) => [job.id, job.client, job.kind, job.rows_total, job.rows_done, job.started_at ?? '']);
  return csv([['id', 'name', 'kind', 'rows_total', 'rows_done', 'started_at'], ...rows]);
}

function hostingOrders(random) {
  const known = { 40319: ['2026-11-11 03:12:44+00', 'new', '3480.00', 'nadya.m@example.com'], 40320: ['2026-11-11 03:31:09+00', 'new', '1265.00', 'svetlana.p@example.com'], 40321: ['2026-11-11 04:02:50+00', 'new', '7912.00', 'olga_t@example.com'] };
  const rows = Array.from({ length: 17 }, (_, index) => {
    const id = 40305 + index;
    const minute = String(9 + index * 3).padStart(2, '0');
    const at = id === 40318 ? '2026-11-11 03:09:17+00' : `2026-11-11 02:${minute}:0${index % 10}+00`;
    return [id, ...(known[id] ?? [at, 'paid', `${random.integer(400, 6000)}.00`, `buyer${random.integer(100, 999)}@example.com`])];
  });
  return csv([['id', 'created_at', 'status', 'total', 'email'], ...rows]);
}

// Shortfalls of the eight branches that the session lists; quarter totals are exact, months share them out.
const BEHIND = { Заречный: [38100, 35912.6, [12655.2, 10790.4, 12467]], Вокзальный: [29400, 28377.1], Лесной: [18850, 18401.3], Парковый: [22100, 21804], Восточный: [25600, 25390.8], Рыночный: [14300, 14188.5], Садовый: [17700, 17641.9], Набережный: [19950, 19912.2] };
const PLAN_TOTAL = 782400;
const FACT_TOTAL = 779240.5;
const AHEAD = ['Южный', 'Западный', 'Центральный', 'Горный', 'Озёрный', 'Степной', 'Портовый', 'Ключевой', 'Дубовый', 'Ясный', 'Новый', 'Старый', 'Мельничный', 'Верхний', 'Нижний', 'Кольцевой', 'Тихий', 'Светлый', 'Полевой', 'Луговой', 'Рябиновый', 'Берёзовый'];

const tenth = (value) => Math.round(value * 10) / 10;

function branchesTable(random) {
  const branches = Object.entries(BEHIND).map(([name, [plan, fact, months]]) => ({ name, plan, fact, months }));
  branches.push({ name: 'Северный', plan: 36200, fact: 36228.1, months: [12310.2, 12045, 11872.9] });
  branches.push({ name: 'Южный', plan: 39400, fact: 39511.2, months: [13118.4, 13402.7, 12990.1] });
  const rest = AHEAD.slice(1);
  rest.push('Хуторской');
  let [planShift, factShift] = [0, 0];
  for (const [index, name] of rest.entries()) {
    // Shifts come in pairs of opposite sign, so that the last branch, which takes the remainder, stays near the mean.
    planShift = index % 2 === 0 ? random.integer(-50, 50) * 100 : -planShift;
    factShift = index % 2 === 0 ? random.integer(-300, 300) / 10 : -factShift;
    if (index === 20) [planShift, factShift] = [0, 0];
    const plan = 23_600 + planShift;
    branches.push({ name, plan, fact: tenth(plan + 48 + factShift) });
  }
  const last = branches.at(-1);
  const sum = (key) => branches.slice(0, -1).reduce((total, branch) => total + branch[key], 0);
  last.plan = tenth(PLAN_TOTAL - sum('plan'));
  last.fact = tenth(FACT_TOTAL - sum('fact'));
  const rows = [['филиал', 'месяц', 'план_тыс', 'факт_тыс', 'чеков', 'площадь_м2', 'директор_подписал', 'примечание']];
  for (const { name, plan, fact, months } of branches) {
    const third = tenth(fact / 3);
    const shift = random.integer(-300, 300);
    const facts = months ?? [tenth(third + shift), tenth(third - shift), tenth(fact - third * 2)];
    const planned = tenth(plan / 3);
    for (const [index, month] of ['2026-07', '2026-08', '2026-09'].entries()) {
      const shown = name === 'Северный' && index === 1 ? 1204.5 : facts[index];
      const monthPlan = index < 2 ? planned : tenth(plan - planned * 2);
      rows.push([name, month, monthPlan.toFixed(1), shown.toFixed(1), random.integer(9000, 21000), random.integer(180, 900), 'да', '']);
    }
  }
  return csv(rows, ';');
}

function branchesWeeks(random) {
  const averages = [809.1, 812.4, 814.2, 812.0, 748.6, 731.2, 733.9, 735.5, 806.3, 811.7, 812.5, 809.8, 813.0];
  const weeks = averages.map((average, index) => {
    const week = new Date(Date.parse('2026-06-29') + index * 7 * 86_400_000).toISOString().slice(0, 10);
    return ` ${week} |     ${random.integer(2630, 2790)} |  ${average.toFixed(2)}`;
  });
  return ['    week    | receipts | average', '------------+----------+---------', ...weeks, `(${weeks.length} rows)`].join('\n');
}

function grantBudget(random) {
  const named = { 3: ['Мікроавтобус вживаний', 'прямі', 410000], 31: ['Бухгалтерський облік', 'адміністрація', 42000], 32: ['Оренда офісу', 'адміністрація', 72000], 33: ["Зв'язок та інтернет", 'адміністрація', 21600], 34: ['Пальне для об’їзду сіл', 'адміністрація', 12600] };
  const direct = ['Стелажі для буса', 'Книжки дитячі', 'Книжки для дорослих', 'Друк афіш', 'Настільні ігри', 'Проєктор', 'Екран', 'Генератор', 'Гонорар ведучих', 'Гонорар водія', 'Страхування буса', 'Технічний огляд', 'Аудіокниги', 'Ремонт кузова', 'Палітурні матеріали', 'Майстер-класи', 'Перекладач жестової мови', 'Фотограф', 'Намет', 'Стільці розкладні', 'Подовжувачі', 'Канцелярія для дітей', 'Подарункові набори', 'Публікації', 'Вивіска', 'Аптечка', 'Вода', 'Сертифікати', 'Каталог'];
  const rows = [];
  let [total, used] = [0, 0];
  for (let row = 1; row <= 34; row++) {
    const [name, kind, amount] = named[row] ?? [direct[used++], 'прямі', random.integer(120, 260) * 50];
    total += amount;
    rows.push([row, name, kind, amount.toFixed(2)]);
  }
  const first = rows[0];
  first[3] = (Number(first[3]) + 912400 - total).toFixed(2);
  return csv([['рядок', 'стаття', 'вид', 'сума_грн'], ...rows, ['', 'РАЗОМ', '', '912400.00']], ';');
}

export const tables = {
  'support-affected': supportAffected,
  'hosting-orders': hostingOrders,
  'branches-table': branchesTable,
  'branches-weeks': branchesWeeks,
  'grant-budget': grantBudget,
};
