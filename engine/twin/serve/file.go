package serve

import (
	"context"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"powerd/engine/twin/model"
)

// folder is the mount's root: it holds the drive's file and its statistics, nothing
// else.
type folder struct {
	fs.Inode
	name  string
	drive *file
}

var (
	_ fs.NodeOnAdder  = (*folder)(nil)
	_ fs.NodeUnlinker = (*folder)(nil)
	_ fs.NodeRmdirer  = (*folder)(nil)
	_ fs.NodeRenamer  = (*folder)(nil)
)

// OnAdd puts the files in.
func (d *folder) OnAdd(ctx context.Context) {
	regular := fs.StableAttr{Mode: fuse.S_IFREG}
	d.AddChild(d.name, d.NewPersistentInode(ctx, d.drive, regular), false)
	d.AddChild(statName, d.NewPersistentInode(ctx, &statistics{counters: &d.drive.pacer.counted}, regular), false)
}

// Unlink refuses: no client takes the drive away from the others.
func (d *folder) Unlink(context.Context, string) syscall.Errno { return syscall.EPERM }

// Rmdir refuses likewise.
func (d *folder) Rmdir(context.Context, string) syscall.Errno { return syscall.EPERM }

// Rename refuses likewise.
func (d *folder) Rename(context.Context, string, fs.InodeEmbedder, string, uint32) syscall.Errno {
	return syscall.EPERM
}

// file is the drive.
type file struct {
	fs.Inode
	data  memory
	pacer *pacer
}

var (
	_ fs.NodeOpener    = (*file)(nil)
	_ fs.NodeReader    = (*file)(nil)
	_ fs.NodeWriter    = (*file)(nil)
	_ fs.NodeGetattrer = (*file)(nil)
	_ fs.NodeSetattrer = (*file)(nil)
	_ fs.NodeAllocater = (*file)(nil)
	_ fs.NodeFsyncer   = (*file)(nil)
	_ fs.NodeFlusher   = (*file)(nil)
)

// Open asks for direct IO with writes side by side.
func (f *file) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	return nil, fuse.FOPEN_DIRECT_IO | fuse.FOPEN_PARALLEL_DIRECT_WRITES, 0
}

// Read returns what was written there, after the drive's time.
func (f *file) Read(_ context.Context, _ fs.FileHandle, dest []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	data := f.data.at(off, int64(len(dest)))
	if len(data) == 0 {
		return fuse.ReadResultData(nil), 0
	}
	if errno := f.pacer.serve(model.Request{OffsetBytes: off, Bytes: len(data)}); errno != 0 {
		return nil, errno
	}
	return fuse.ReadResultData(data), 0
}

// Write keeps data, after the drive's time.
func (f *file) Write(_ context.Context, _ fs.FileHandle, data []byte, off int64) (uint32, syscall.Errno) {
	room := f.data.at(off, int64(len(data)))
	if len(data) == 0 {
		return 0, 0
	}
	if len(room) == 0 {
		return 0, syscall.ENOSPC
	}
	q := model.Request{Write: true, OffsetBytes: off, Bytes: len(room)}
	if f.pacer.drive.Compresses() {
		q.Stored = storedShare(data[:len(room)])
	}
	if errno := f.pacer.serve(q); errno != 0 {
		return 0, errno
	}
	return uint32(copy(room, data)), 0
}

// Getattr says that it is a file of the drive's size.
func (f *file) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	out.Mode = fuse.S_IFREG | 0o600
	out.Nlink = 1
	out.Size = uint64(len(f.data))
	out.Blocks = out.Size / 512
	out.Blksize = 4096
	return 0
}

// Setattr refuses another size, as a block device does; the rest is of no matter. To open
// a block device with O_TRUNC does nothing to it, and so it is here: the kernel asks for 0
// bytes without an open file then. truncate(2) to 0 by name asks for the same, and does
// nothing either.
func (f *file) Setattr(ctx context.Context, h fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	size, resized := in.GetSize()
	_, opened := in.GetFh()
	if resized && size != uint64(len(f.data)) && (opened || size != 0) {
		return syscall.EINVAL
	}
	return f.Getattr(ctx, h, out)
}

// Allocate takes a punched hole as discard. Allocating what is there already is
// nothing to do.
func (f *file) Allocate(_ context.Context, _ fs.FileHandle, off, size uint64, mode uint32) syscall.Errno {
	end := off + size
	switch {
	case end > uint64(len(f.data)) || end < off:
		return syscall.ENOSPC
	case mode&^unix.FALLOC_FL_KEEP_SIZE == 0:
		return 0
	case mode != unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE:
		return syscall.EOPNOTSUPP
	case !f.pacer.ready():
		return syscall.EIO
	}
	if err := f.pacer.drive.Discard(f.pacer.now(), int64(off), int64(size)); err != nil {
		return syscall.EIO
	}
	if errno := fs.ToErrno(f.data.punch(int64(off), int64(size))); errno != 0 {
		return errno
	}
	f.pacer.counted.discard(size)
	return 0
}

// Fsync waits until the drive has written its cache out.
func (f *file) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	return f.pacer.flush()
}

// Flush lets any process close the file.
func (f *file) Flush(context.Context, fs.FileHandle) syscall.Errno { return 0 }
