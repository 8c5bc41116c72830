/** How the stand-in for Pi sends frames. With limits as in omp 17.2 and later, for piStandIn.mjs. */

const lineBytes = 1_048_576;
const partBytes = 262_144;

/** @param isLimited a line is at most 1 MiB long; in version 2 of the protocol, a longer frame is sent in parts */
export function emitter(isLimited) {
  const write = (frame) => process.stdout.write(`${JSON.stringify(frame)}\n`);
  if (!isLimited) return { emit: write, ready: { type: 'ready' }, frameCommands: {} };
  let version = 1;
  let frames = 0;
  return {
    ready: { type: 'ready', protocolVersion: 1, supportedProtocolVersions: [1, 2], maxReassembledFrameBytes: 64 * lineBytes },
    frameCommands: {
      negotiate_protocol({ protocolVersion }) {
        if (protocolVersion !== 2) throw new Error(`Unsupported protocol version: ${protocolVersion}`);
        version = protocolVersion;
        return { protocolVersion };
      },
      get_available_models: () => ({
        models: [
          { provider: 'mock', id: 'one', name: 'One' },
          { provider: 'mock', id: 'long', name: 'é'.repeat(lineBytes) },
        ],
      }),
    },
    emit(frame) {
      const bytes = Buffer.from(JSON.stringify(frame));
      if (bytes.length <= lineBytes) return write(frame);
      if (version === 1) {
        const { id, type, command } = frame;
        if (type === 'response') write({ id, type, command, success: false, error: 'RPC response exceeded the transport limit' });
        else write({ type: 'rpc_frame_error', frameType: type });
        return;
      }
      const chunkId = `chunk-${++frames}`;
      const count = Math.ceil(bytes.length / partBytes);
      for (let index = 0; index < count; index++) {
        const data = bytes.subarray(index * partBytes, (index + 1) * partBytes).toString('base64');
        write({ type: 'rpc_chunk', chunkId, index, count, byteLength: bytes.length, data });
      }
    },
  };
}
