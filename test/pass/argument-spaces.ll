; What memory a device function gets pointers to is known where all its calls are in the module and
; agree: of local memory nothing is noted, and of the rest no lane asks in which memory it is.
; RUN: %opt -gm-profile=heat -gm-heat-closed-forms=false -gm-whole-program -passes=gm-instrument,verify -S -o %t.whole %s
; RUN: FileCheck %s --input-file=%t.whole
; Code of other modules may call what is not internal.
; RUN: %opt -gm-profile=heat -gm-heat-closed-forms=false -passes=gm-instrument,verify -S -o %t.part %s
; RUN: FileCheck %s --check-prefix=PART --input-file=%t.part
; The functions themselves stay as they are.
; CHECK:       define void @agree(ptr %tile, ptr %own, ptr %out) #0 {
; CHECK-NEXT:    %x = load i32, ptr %tile
; CHECK-NEXT:    %y = load i32, ptr %own
; CHECK-NEXT:    %sum = add i32 %x, %y
; CHECK-NEXT:    store i32 %sum, ptr %out

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [32 x i32] undef

define ptx_kernel void @k(ptr %p) {
  %own = alloca i32
  store i32 7, ptr %own
  call void @agree(ptr addrspacecast (ptr addrspace(3) @tile to ptr), ptr %own, ptr %p)
  call void @differ(ptr addrspacecast (ptr addrspace(3) @tile to ptr))
  call void @differ(ptr %p)
  call void @outer(ptr addrspacecast (ptr addrspace(3) @tile to ptr), ptr %own)
  call void @internal(ptr %p)
  call void @taken(ptr %p, ptr @taken)
  ret void
}

; CHECK:       define void @agree__gm_heat(
; CHECK-NOT:     isspacep
; CHECK:         load i32, ptr addrspace(3)
; CHECK-NOT:     isspacep
; CHECK:         load i32, ptr addrspace(5)
; CHECK-NOT:     isspacep
; CHECK:         store i32 %{{.+}}, ptr addrspace(1)
; CHECK-NOT:     isspacep
; CHECK:       }
; PART:        define void @agree__gm_heat(
; PART:          @llvm.nvvm.isspacep.shared(ptr %tile)
; PART:          @llvm.nvvm.isspacep.shared(ptr %own)
; PART:          @llvm.nvvm.isspacep.shared(ptr %out)
; PART:        }
define void @agree(ptr %tile, ptr %own, ptr %out) noinline {
  %x = load i32, ptr %tile
  %y = load i32, ptr %own
  %sum = add i32 %x, %y
  store i32 %sum, ptr %out
  ret void
}

; CHECK:       define void @differ__gm_heat(
; CHECK:         @llvm.nvvm.isspacep.shared(ptr %p)
; CHECK:       }
define void @differ(ptr %p) noinline {
  store i32 1, ptr %p
  ret void
}

; It tells its callee what it knows, and that calls itself.
define void @outer(ptr %p, ptr %q) noinline {
  %x = load i32, ptr %q
  %at = getelementptr i32, ptr %p, i32 %x
  call void @inner(ptr %at)
  ret void
}

; CHECK:       define void @inner__gm_heat(
; CHECK-NOT:     isspacep
; CHECK:         store i32 1, ptr addrspace(3)
; CHECK-NOT:     isspacep
; CHECK:       }
define void @inner(ptr %p) noinline {
  store i32 1, ptr %p
  %next = getelementptr i32, ptr %p, i32 1
  call void @inner(ptr %next)
  ret void
}

; PART:        define internal void @internal__gm_heat(
; PART-NOT:      isspacep
; PART:          store i32 1, ptr addrspace(1)
; PART-NOT:      isspacep
; PART:        }
define internal void @internal(ptr %p) noinline {
  store i32 1, ptr %p
  ret void
}

; Anything may call a function whose address is known.
; CHECK:       define void @taken__gm_heat(
; CHECK:         @llvm.nvvm.isspacep.shared(ptr %p)
; CHECK:       }
define void @taken(ptr %p, ptr %function) noinline {
  store i32 1, ptr %p
  ret void
}
