// The data of a page, as `wormscope view` writes it (see src/page/view): JSON, and a stream of events for each track.

/** A difference from the expectations of a testbench. */
export interface Failure { cycle: number | null; since: number | null; why: string | null; worm: number | null; text: string }
export interface Lane { name: string; switch: number; port: number }
export interface Input extends Lane { depth: number; at: [number, number]; inward: [number, number]; exists: boolean }
/** A flit that crossed before the window: cycle, worm and index. */
export type Before = [number, [number, number]];
/** A lane; without points where it does not exist. `depth`: flits of the FIFO or the node behind it. */
export interface Output extends Lane { input: number | null; node: number | null; channel: number | null; depth: number; points: number[]; before: Before[] }
export interface Worm {
  id: number; source: number; to: number[]; encoding: number; header: number; payload: number; created: number; injected: number | null; class: number;
  headerBits: string[]; delivered: [number, number, number, number, number][];
}
/** `token`: the worm that holds the token it waits for. */
export interface Wait { worm: number; input: number; outputs: number[]; space: boolean[]; owners: number[]; token: number | null }
export interface Deadlock { cycle: number; detected: number; text: string; circle: Wait[] }

/** Cures of a deadlock. `options` are of a command, and `told` names the worms. */
export interface Freed {
  command: string; cures: { change: string; told: string; ended: string; options: string }[];
  noReturn: string; wayOut: [number, number | null] | null; text: string;
}

export interface Meta {
  version: string; title: string; network: string; seed: number; rerun: string;
  from: number; until: number; cycles: number; ended: string; clockNs: number; flitBits: number;
  /** Cycles from crossing an output lane to standing in the FIFO behind it; of injection channels; of lanes to nodes. */
  arrival: number; injectionArrival: number; consumptionArrival: number;
  states: string[]; causes: string[]; encodings: string[];
  /** Switches that are shown. The others have only the flits that they exchange with these. */
  switches: { name: string; at: [number, number]; size: [number, number]; shown: boolean }[];
  nodes: { name: string; radius: number; send: [number, number]; receive: [number, number]; shown: boolean }[];
  inputs: Input[]; outputs: Output[];
  injections: { name: string; node: number; input: number; points: number[]; before: Before[] }[];
  consumptions: { name: string; node: number }[];
  stations: { switch: number; ring: number }[];
  laneBase: [number, number][]; ports: string[];
  /** For each output port, the first port of those whose lanes a worm asks for together. */
  groups: number[];
  worms: Worm[];
  deadlock: Deadlock | null; failures: Failure[];
  /** Warnings of `wormscope run`, and its report: in short as names and texts, and in full. */
  warnings: string[]; brief: [string, string][]; report: string;
  /** Fields that are not as by default: path, value and default; those of the workload. */
  changed: [string, string, string][]; workload: [string, string][];
  freed: Freed | null;
  /** Gains of changes by one step, as `wormscope advise` has them: the picture is an address. */
  advised: { about: string; header: string[]; rows: string[][]; options: string[]; next: string | null; picture: string } | null;
  bytes: { inputs: number[]; outputs: number[]; injections: number[]; consumptions: number[]; stations: number[] };
}

/** States of an input lane, as numbers of `Meta.states`. */
export const IDLE = 0, HEADER = 1, ROUTE = 2, TOKEN = 3, LANES = 4, MOVE = 5, BLOCKED = 6, HEADS = 7;
export const waits = (state: number): boolean => state === TOKEN || state === LANES || state === BLOCKED || state === HEADS;

/** Reads a data block: base64 of a zlib stream of length, JSON, streams. */
export async function unpack(text: string): Promise<{ meta: Meta; streams: Uint8Array }> {
  const binary = atob(text.trim());
  const packed = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) packed[i] = binary.charCodeAt(i);
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(unpacked).arrayBuffer());
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const meta = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length))) as Meta;
  return { meta, streams: bytes.subarray(4 + length) };
}
