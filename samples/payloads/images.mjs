// Real, small pictures and files: a viewer opens them, and no text rule may ever read them.
import { deflateRawSync, crc32 as zlibCrc32 } from 'node:zlib';

function crc32(bytes) {
  if (zlibCrc32) return zlibCrc32(bytes);
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}

function adler32(bytes) {
  let [a, b] = [1, 0];
  for (const byte of bytes) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  return ((b << 16) | a) >>> 0;
}

function chunk(type, data) {
  const out = Buffer.alloc(12 + data.length);
  out.writeUInt32BE(data.length, 0);
  out.write(type, 4, 'latin1');
  data.copy(out, 8);
  out.writeUInt32BE(crc32(out.subarray(4, 8 + data.length)), 8 + data.length);
  return out;
}

// Stored (uncompressed) deflate: the same bytes with every zlib version.
function png(width, height, pixel) {
  const rows = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows.set(pixel(x, y), y * (1 + width * 3) + 1 + x * 3);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(adler32(rows));
  const body = Buffer.concat([Buffer.from([0x78, 0x01]), deflateRawSync(rows, { level: 0 }), check]);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', body), chunk('IEND', Buffer.alloc(0))]);
}

function photo(random) {
  const base = [random.integer(40, 200), random.integer(40, 200), random.integer(40, 200)];
  const data = png(40, 30, (x, y) => base.map((value, index) => (value + x * 2 + y * (index + 1) + random.integer(0, 12)) & 255));
  return { type: 'image', mime: 'image/png', data: data.toString('base64') };
}

function lineChart(random) {
  const heights = Array.from({ length: 64 }, (_, x) => (x > 18 && x < 38 ? 34 : 12) + random.integer(0, 3));
  const data = png(64, 48, (x, y) => (Math.abs(y - heights[x]) < 2 ? [30, 90, 180] : [250, 250, 248]));
  return {
    content: [
      { type: 'text', text: 'line chart, 13 points, 64x48' },
      { type: 'image', mime: 'image/png', data: data.toString('base64') },
    ],
  };
}

/** A one-page PDF form with empty fields, as a data URL. */
function emptyCertificate() {
  const lines = ['Energy Performance Certificate', 'Rating: ______', 'Certificate number: ______', 'Valid until: ______'];
  const stream = lines.map((line, index) => `BT /F1 12 Tf 60 ${760 - index * 28} Td (${line}) Tj ET`).join('\n');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let pdf = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = pdf.length;
    pdf += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = pdf.length;
  pdf += `xref\n0 6\n0000000000 65535 f \n${offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')}`;
  pdf += `trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return { content: `data:application/pdf;base64,${Buffer.from(pdf).toString('base64')}`, content_type: 'application/pdf' };
}

export const images = {
  'shop-photo': photo,
  'coffee-photo': photo,
  'bike-photo': photo,
  'branches-chart': lineChart,
  'lease-epc': emptyCertificate,
};
