// The 29 exports of support-stuck-exports, shared by the job list and the SQL answer so that they agree.
import { randomOf } from '../generator/deterministic.mjs';

const random = randomOf('export-jobs');
const others = ['Alder & Finch', 'Bluewater Kayaks', 'Cedar Lane Vets', 'Dovecote Books', 'Elmgate Tools', 'Fernhill Farm', 'Gull Point Hotel', 'Hollis Print', 'Inkwell Studio', 'Juniper Spa', 'Kettle Row Cafe', 'Larkfield School', 'Mossbank Timber', 'Nettle Creek Mill'];
const stuck = ['EXP-771181', 'EXP-771183', 'EXP-771184', 'EXP-771187', 'EXP-771188', 'EXP-771190'];
const northshore = { 'EXP-771204': ['trial-balance', 214882], 'EXP-771209': ['aged-receivables', 40377], 'EXP-771215': ['general-ledger', 98120] };
const pinegroveRows = [612044, 540871, 433902, 318455];
let otherCount = 0;

function exportJob(index) {
  const id = stuck[index] ?? `EXP-${771198 + index}`;
  if (index < 6) {
    const pinegrove = index < 4;
    return {
      id,
      state: 'running',
      client: pinegrove ? 'Pinegrove Dental Group' : 'Oakhurst Bakery Supply',
      client_id: pinegrove ? 3377 : 3390,
      kind: 'trial-balance-consolidated',
      rows_total: pinegrove ? pinegroveRows[index] : random.integer(60_000, 120_000),
      rows_done: 50_000,
      attempts: random.integer(410, 470),
      started_at: `2026-11-03T06:0${2 + Math.floor(index / 2)}:11Z`,
    };
  }
  const queued = { id, state: 'queued', rows_done: 0, attempts: 0, started_at: null };
  if (northshore[id]) {
    const [kind, rows_total] = northshore[id];
    return { ...queued, client: 'Northshore Marine', client_id: 3381, kind, rows_total };
  }
  if (index === 6 + 1) return { ...queued, client: 'Oakhurst Bakery Supply', client_id: 3390, kind: 'general-ledger', rows_total: 71_204 };
  const other = otherCount++ % others.length;
  return { ...queued, client: others[other], client_id: 3300 + other, kind: random.pick(['general-ledger', 'trial-balance']), rows_total: random.integer(9_000, 90_000) };
}

export const exportJobs = Array.from({ length: 29 }, (_, index) => exportJob(index));
