"""Whether each function of libcudart that has to do with memory, graphs or the order of work is
interposed, or named here with the reason why not. Arguments: cuda_runtime_api.h, libgmprof.so."""
import re
import sys

import interposed

FAMILIES = re.compile(
    r"cuda(Malloc|Free|Mem|Host|Memcpy|Memset|Ipc|Import|External|Array|Launch|Graph|Stream"
    r"|Event|Device(Reset|Synchronize|Graph)|Get(Symbol|Mip)|Graphics|Create|Destroy|Library"
    r"|Signal|Wait)")

NOT_INTERPOSED = {
    "asks for something, and changes nothing":
        r"cuda\w*(Get|Query|Is|Enumerate)(?!Mapped)\w*"
        r"|cudaEventElapsedTime|cudaGraphDebugDotPrint|cudaGraphNodeFindInClone",
    "is about pools of memory, their limits and who may use them, not about what is taken from one":
        r"cudaMemPool(Create|Destroy|SetAttribute|SetAccess|TrimTo|Export\w*"
        r"|ImportFromShareableHandle)|cudaMemSetMemPool|cudaDeviceGraphMemTrim",
    "says where pages of managed memory should be, which is the same object everywhere":
        r"cudaMem(Advise|Prefetch\w*|Discard\w*)|cudaStreamAttachMemAsync",
    "makes handles of memory that is recorded, or closes those of memory that is not":
        r"cudaIpcCloseMemHandle|cudaImportExternal\w*|cudaDestroyExternal\w*",
    "is of graphics: what gives the memory is counted":
        r"cudaGraphics(Map|Unmap)Resources|cudaGraphicsUnregisterResource"
        r"|cudaGraphicsResourceSetMapFlags|cudaGraphics\w+GetMapped\w*Array",
    "describes the elements of arrays for texture units":
        r"cudaCreateChannelDesc",
    "builds or changes a graph that is read as a whole when it is made executable":
        r"cudaGraph(Create|Clone|DestroyNode|(Add|Remove)Dependencies|ConditionalHandleCreate"
        r"|AddChildGraphNode|AddEmptyNode|AddEvent\w+Node|AddExternal\w+|AddHostNode"
        r"|AddMemcpyNode\w*|AddMemsetNode|MemcpyNodeSet\w+|MemsetNodeSetParams"
        r"|KernelNode(Copy|Set)Attributes?|EventRecordNodeSetEvent|EventWaitNodeSetEvent"
        r"|ExternalSemaphores\w+SetParams|HostNodeSetParams|Upload|(Retain|Release)UserObject)",
    "changes nodes of an executable graph that are no GPU APIs":
        r"cudaGraphExec(Event\w+SetEvent|External\w+SetParams|HostNodeSetParams)",
    "begins or ends a capture: what is captured is seen by its own call":
        r"cudaStream(BeginCapture\w*|EndCapture|UpdateCaptureDependencies)",
    "is about streams and events that have no work by that":
        r"cudaEventCreate\w*|cudaIpcOpenEventHandle|cudaStream(CopyAttributes|SetAttribute|AddCallback)"
        r"|cudaLaunchHostFunc\w*",
    "asks for the contents of a library":
        r"cudaLibrary(Enumerate|Get)\w+",
}

header, library = sys.argv[1:]
with open(header, encoding="utf-8") as file:
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", file.read(), flags=re.S)
functions = {name for name in re.findall(r"\b(cuda\w+)\s*\(", text) if FAMILIES.match(name)}
functions &= set(re.findall(r"CUDARTAPI(?:_CDECL)?\s+(cuda\w+)\s*\(", text))
assert len(functions) > 200, "the header looks unlike what it was"
interposed.report(functions, library, NOT_INTERPOSED)
