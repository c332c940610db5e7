"""snapshot.py KIND FILE [PROTOCOL]: writes a snapshot as torch.cuda.memory._dump_snapshot() does.

train       A training on device 0, whose recording began late: weights of 6 MiB, a bias of 512 bytes and a block of a
            CUDA graph existed before. Logits of 40 MiB and 4 MiB for the loss make the peak of 53 MiB and 512 bytes in
            82 MiB of segments. Then 1 GiB is requested in vain.
state       The same without recorded events.
expandable  A segment of 40 MiB that is mapped in two parts; a tensor of 30 MiB lies across both.
streams     The training's steps on a second device and another stream.
compiled    A tensor of 4 MiB that code of torch.fx makes, whose frame has the program's lines (augment_with_fx_traces), a
            tensor of 2 MiB that the program has named (_set_memory_metadata), and one of 1 MiB without frames, as those of the
            backward pass. Segments and events have members that other versions lack.
"""
import pickle
import sys

MIB = 1 << 20
LARGE, SMALL, LOGITS, GRAPH = 0x7f0000000000, 0x7f0010000000, 0x7f0020000000, 0x7f0040000000


def frames(line):
    """The stack of a tensor that a line of train.py makes."""
    return [{"filename": "/opt/venv/lib/python3.12/site-packages/torch/nn/functional.py", "line": 100, "name": "linear"},
            {"filename": "??", "line": 0, "name": "torch::autograd::THPVariable"},
            {"filename": "/home/me/train.py", "line": line, "name": "step"}]


def block(address, size, state, line=None, requested=None):
    return {"address": address, "size": size, "requested_size": size if requested is None else requested, "state": state,
            "frames": frames(line) if line else []}


def segment(address, size, blocks, kind="large", pool=(0, 0), stream=0, expandable=False, device=0):
    used = sum(b["size"] for b in blocks if b["state"] != "inactive")
    return {"device": device, "address": address, "total_size": size, "allocated_size": used, "active_size": used,
            "requested_size": used, "stream": stream, "segment_type": kind, "segment_pool_id": pool,
            "is_expandable": expandable, "frames": frames(2), "blocks": blocks}


def event(action, address, size, time, line=None, stream=0):
    entry = {"action": action, "addr": address, "size": size, "stream": stream, "time_us": time, "compile_context": "N/A"}
    if line:
        entry["frames"] = frames(line)
    return entry


def train(device=0, stream=0):
    active, free = "active_allocated", "inactive"
    segments = [
        segment(LARGE, 20 * MIB, [block(LARGE, 6 * MIB, active, 5), block(LARGE + 6 * MIB, 4 * MIB, free),
                                  block(LARGE + 10 * MIB, 2 * MIB, active, 22), block(LARGE + 12 * MIB, 8 * MIB, free)],
                stream=stream, device=device),
        segment(SMALL, 2 * MIB, [block(SMALL, 512, active, 6, 40), block(SMALL + 512, 2 * MIB - 512, free)], "small",
                stream=stream, device=device),
        segment(LOGITS, 40 * MIB, [block(LOGITS, 40 * MIB, free)], stream=stream, device=device),
        segment(GRAPH, 20 * MIB, [block(GRAPH, 3 * MIB, "active_pending_free", 7), block(GRAPH + 3 * MIB, 17 * MIB, free)],
                pool=(0, 1), stream=0x55, device=device)]
    events = [
        event("segment_alloc", LOGITS, 40 * MIB, 1000, 20, stream),
        event("alloc", LOGITS, 40 * MIB - 100, 1001, 20, stream),
        event("alloc", LARGE + 6 * MIB, 4 * MIB, 1500, 21, stream),
        event("free_requested", LOGITS, 40 * MIB - 100, 2000, 23, stream),
        event("free_completed", LOGITS, 40 * MIB - 100, 2000, 23, stream),
        event("alloc", LARGE + 10 * MIB, 2 * MIB, 2100, 22, stream),
        event("free_requested", LARGE + 6 * MIB, 4 * MIB, 2200, 24, stream),
        event("free_completed", LARGE + 6 * MIB, 4 * MIB, 2200, 24, stream),
        {"action": "oom", "device_free": 100, "size": 1024 * MIB, "stream": stream, "time_us": 2500, "frames": frames(30)},
        {"action": "snapshot", "addr": 0, "size": 0, "stream": 0, "time_us": 2600}]
    return segments, events


def expandable():
    active, free = "active_allocated", "inactive"
    segments = [segment(LARGE, 40 * MIB, [block(LARGE, 30 * MIB, active, 12), block(LARGE + 30 * MIB, 10 * MIB, free)],
                        expandable=True)]
    events = [event("segment_map", LARGE, 20 * MIB, 10, 11), event("alloc", LARGE, 5 * MIB, 11, 11),
              event("free_requested", LARGE, 5 * MIB, 12), event("free_completed", LARGE, 5 * MIB, 12),
              event("segment_map", LARGE + 20 * MIB, 40 * MIB, 20, 12), event("alloc", LARGE, 30 * MIB, 21, 12),
              event("segment_unmap", LARGE + 40 * MIB, 20 * MIB, 30)]
    return segments, events


def compiled():
    model = 'File "/home/me/train.py", line 40, in train\n    loss = model(x)\n  File "/home/me/model.py", line 12, in forward\n' \
            '    h = self.up(x)\n'
    generated = {"filename": "<eval_with_key>.3", "line": 7, "name": "forward", "fx_node_op": "call_function",
                 "fx_node_name": "addmm", "fx_node_target": "aten.addmm", "fx_original_trace": model}
    active = "active_allocated"
    segments = [segment(LARGE, 20 * MIB, [block(LARGE, 4 * MIB, active), block(LARGE + 4 * MIB, 2 * MIB, active, 13),
                                          block(LARGE + 6 * MIB, 1 * MIB, active), block(LARGE + 7 * MIB, 13 * MIB, "inactive")])]
    segments[0] |= {"registration_counter": -1, "frames": []}
    events = [event("segment_alloc", LARGE, 20 * MIB, 10),
              event("alloc", LARGE, 4 * MIB, 11) | {"frames": [generated] + frames(40), "user_metadata": ""},
              event("alloc", LARGE + 4 * MIB, 2 * MIB, 12, 13) | {"user_metadata": "layers.3.attn", "pool_id": (0, 0)},
              event("alloc", LARGE + 6 * MIB, 1 * MIB, 13) | {"user_metadata": {"pool": "of other versions"}, "frames": []},
              event("user_defined", 0, 0, 14)]
    return segments, events


def snapshot(kind):
    segments, events = {"expandable": expandable, "compiled": compiled}.get(kind, train)()
    traces = [[] if kind == "state" else events]
    if kind == "streams":
        more, traced = train(1, 0x77)
        segments += more
        traces.append(traced)
    return {"segments": segments, "device_traces": traces, "external_annotations": [],
            "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "max_split_size": -1, "expandable_segments": False,
                                   "garbage_collection_threshold": 0.0, "roundup_power2_divisions": {"1": 0}}}


if __name__ == "__main__":
    with open(sys.argv[2], "wb") as file:
        pickle.dump(snapshot(sys.argv[1]), file, int(sys.argv[3]) if len(sys.argv) > 3 else None)
