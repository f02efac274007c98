// Turns a parsed source into API events: the words are the source's, ids, times and usage are derived.
import { randomOf, tokenOf, uuidOf } from './deterministic.mjs';
import { contextMeter, estimateTokens } from './estimate-usage.mjs';
import { declaredTools } from './declare-tools.mjs';

const NO_SEQ = new Set(['step', 'task_started', 'task_finished']);

/** All events of one session in order; `payloads` gives a bulky tool result or an attachment by name. */
export function compileSession({ header, turns }, payloads) {
  const conversation = header.conversation;
  const random = randomOf(conversation);
  const events = [];
  const eventIds = new Map();
  const tools = declaredTools(header.tools, turns);
  const meter = contextMeter(estimateTokens(JSON.stringify(tools)));
  let at = Date.parse(header.start);
  let seq = 0;
  let task;
  let strategy = header.strategy;
  let step;
  let stepReport = {};
  let thinking;
  let pending = [];
  let callNumber = 0;

  const emit = (type, fields, labels = []) => {
    const event_id = uuidOf(conversation, String(events.length));
    for (const label of labels) eventIds.set(label, event_id);
    const event = { type, conversation_id: conversation, event_id };
    if (header.seq && !NO_SEQ.has(type)) event.seq = ++seq;
    event.occurred_at = new Date(at).toISOString();
    Object.assign(event, { agent: header.agent, client_id: header.client });
    if (task) event.task_id = task.id;
    events.push(Object.assign(event, fields));
    return event_id;
  };
  const idOf = (turn, label) => {
    const id = eventIds.get(label);
    if (!id) throw new Error(`Compiling ${conversation}, line ${turn.line}: no earlier turn is labelled #${label}.`);
    return id;
  };
  const pass = (low, high) => {
    at += random.integer(low, high);
  };

  const openStep = () => {
    if (step) return;
    if (!task) throw new Error(`Compiling ${conversation}: an assistant turn outside of any task near event ${events.length}.`);
    const latency = random.integer(1600, 8200);
    const [provider, model] = [stepReport.provider ?? header.provider, stepReport.model ?? header.model];
    const usage = meter.bill(provider, strategy, at);
    at += latency;
    step = { provider, model, usage, latency, output: 0, reasoning: 0, tools: [], bytes: 0 };
  };
  const closeStep = () => {
    if (!step) return;
    const key = `${task.id}/${task.steps}`;
    const anthropic = step.provider === 'anthropic';
    const report = {
      step_index: task.steps++,
      run_id: task.run,
      provider: step.provider,
      model: step.model,
      strategy,
      usage: { ...step.usage, output: step.output + 8, ...(step.reasoning > 0 && { reasoning: step.reasoning }) },
      answer_id: anthropic ? `msg_01${tokenOf(22, 'answer', key)}` : `chatcmpl-${tokenOf(24, 'answer', key)}`,
      request_id: `req_${tokenOf(24, 'request', key)}`,
      final: true,
      ...(step.tools.length > 0 && { tool_name: step.tools[0], tool_result_bytes: step.bytes }),
      latency_ms: step.latency,
      ttft_ms: Math.round(step.latency * (0.15 + random.next() * 0.2)),
    };
    if (stepReport.words?.includes('partial')) {
      const { reasoning: _, ...usage } = { ...report.usage, output: Math.ceil(report.usage.output / 5) };
      emit('step', { ...report, usage, final: false });
    }
    pass(10, 60);
    emit('step', report);
    if (stepReport.words?.includes('twice')) emit('step', report);
    step = undefined;
    stepReport = {};
  };

  const message = (turn, content) => {
    meter.add(typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('\n'));
    emit('message', { role: turn.kind, content }, turn.labels);
  };
  const answerCall = (turn) => {
    const [call] = pending.splice(Number(turn.n ?? 1) - 1, 1);
    if (!call) throw new Error(`Compiling ${conversation}, line ${turn.line}: a result without a call before it.`);
    const made = turn.payload ? payloads(turn.payload, conversation) : { content: turn.text };
    if (!turn.payload && turn.type === 'json') made.content = JSON.parse(turn.text);
    const text = typeof made.content === 'string' ? made.content : JSON.stringify(made.content);
    const read = Array.isArray(made.content) ? made.content.map((part) => part.text ?? '').join('\n') : text;
    pass(180, 2600);
    const contentType = made.content_type ?? (turn.type?.includes('/') ? turn.type : undefined);
    const fields = { call_id: call, content: made.content, ...(contentType && { content_type: contentType }) };
    emit('tool_result', turn.failed ? { ...fields, is_error: true } : fields, turn.labels);
    meter.add(read, true);
    step.bytes += Buffer.byteLength(text);
  };

  const handlers = {
    system: (turn) => message(turn, turn.text),
    developer: (turn) => message(turn, turn.text),
    user: (turn) => {
      if (events.some((event) => event.role === 'user')) pass(18_000, 140_000);
      const image = turn.image && payloads(turn.image, conversation);
      message(turn, image ? [{ type: 'text', text: turn.text }, image] : turn.text);
    },
    thinking: (turn) => {
      thinking = { type: 'thinking', text: turn.text, signature: `${tokenOf(64, 'thinking', turn.text)}==` };
    },
    assistant: (turn) => {
      openStep();
      step.output += estimateTokens(turn.text) + (thinking ? estimateTokens(thinking.text) : 0);
      step.reasoning += thinking ? estimateTokens(thinking.text) : 0;
      message(turn, thinking ? [thinking, { type: 'text', text: turn.text }] : turn.text);
      thinking = undefined;
    },
    call: (turn, index) => {
      openStep();
      const call_id = `call_${tokenOf(16, conversation, String(++callNumber))}`;
      const fields = { call_id, tool: turn.words[0], arguments: turn.raw ? turn.text : JSON.parse(turn.text) };
      const parallel = pending.length > 0 || turns[index + 1]?.kind === 'call';
      if (parallel) fields.step_id = `step_${task.steps}_${tokenOf(8, task.id, String(task.steps))}`;
      emit('tool_call', fields, turn.labels);
      meter.add(turn.words[0] + turn.text);
      pending.push(call_id);
      step.tools.push(turn.words[0]);
      step.output += estimateTokens(turn.text) + 14;
    },
    result: answerCall,
    pin: (turn) => emit('pin', { message_id: idOf(turn, turn.labels[0]) }),
    unpin: (turn) => emit('unpin', { message_id: idOf(turn, turn.labels[0]) }),
    correction: (turn) => emit('correction', { message_id: idOf(turn, turn.labels[0]) }),
    state: (turn) => {
      const source_ids = turn.labels.map((label) => idOf(turn, label));
      emit('state_patch', { patch: JSON.parse(turn.text), ...(source_ids.length > 0 && { source_ids }) });
    },
    phase: (turn) => emit('phase', { phase: turn.words[0] }),
    at: (turn) => {
      const moved = Date.parse(turn.words[0]);
      if (moved <= at) throw new Error(`Compiling ${conversation}, line ${turn.line}: time would go back.`);
      at = moved;
    },
    strategy: (turn) => {
      strategy = turn.words[0];
    },
    step: (turn) => {
      stepReport = turn;
    },
    task: (turn) => {
      task = { id: turn.words[0], run: `run-${tokenOf(10, turn.words[0]).toLowerCase()}`, steps: 0 };
      emit('task_started', {});
    },
    done: (turn) => {
      pass(400, 2000);
      emit('task_finished', { outcome: turn.words[0] });
      task = undefined;
    },
  };

  emit('conversation_settings', {
    agent_type: header.type,
    model: header.model,
    language: header.language,
    time_zone: header.zone,
    ...(header.flags && { flags: Object.fromEntries(header.flags.split(' ').map((flag) => [flag, true])) }),
  });
  if (tools.length > 0) emit('tools_declared', { tools });
  for (const [index, turn] of turns.entries()) {
    const followsResult = pending.length === 0 && step?.tools.length > 0;
    const continues = turn.kind === 'result' || (turn.kind === 'call' && !followsResult);
    if (!continues) closeStep();
    pass(20, 90);
    handlers[turn.kind](turn, index);
  }
  closeStep();
  return events;
}
